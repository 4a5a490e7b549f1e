"""How users are looked up and made by Django's own commands."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.base_user import BaseUserManager
from django.utils import timezone

if TYPE_CHECKING:
    from accounts.models import User


class UserManager(BaseUserManager["User"]):
    """E-mail addresses are compared without regard to case."""

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)

    def create_user(
        self, email: str, name: str = "", password: str | None = None, **extra: Any
    ) -> "User":
        user = self.model(
            email=email.strip().lower(), name=name, date_joined=timezone.now(), **extra
        )
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(
        self, email: str, name: str, password: str | None = None, **extra: Any
    ) -> "User":
        return self.create_user(email, name, password, is_staff=True, is_superuser=True, **extra)
