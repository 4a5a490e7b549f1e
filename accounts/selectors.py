"""Finding the people whom commands and forms name by e-mail."""

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError


class UserUnknown(DomainError):
    code = "user_unknown"
    detail = _("There is no account with the e-mail address %(email)s.")
    status = 404


def find_user(email: str) -> User | None:
    """Return the account with this address, in whatever case, if there is one."""
    return User.objects.filter(email__iexact=email.strip()).first()


def get_user(email: str) -> User:
    """Return the account with this address, in whatever case. Raises UserUnknown."""
    user = find_user(email)
    if user is None:
        raise UserUnknown(email=email)
    return user
