"""People, how they get in, and the append-only record of what was done."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from accounts.managers import UserManager


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by e-mail. Never deleted once there is work: deactivated instead."""

    email = models.EmailField(_("e-mail"), max_length=254, unique=True)
    name = models.CharField(_("name"), max_length=150)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField()

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_one")]

    def __str__(self) -> str:
        return self.name or self.email


class Invitation(models.Model):
    """A link that lets an invited person set name and password once."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"invitation of {self.user}"


class ApiToken(models.Model):
    """A key for programs; only its SHA-256 is kept."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=100)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class AuditEvent(models.Model):
    """One thing that somebody did; rows are only ever inserted."""

    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    actor_name = models.CharField(max_length=254)
    verb = models.CharField(max_length=60)
    target = models.CharField(max_length=100)
    scope = models.CharField(max_length=100, blank=True)
    data = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)
    occurred_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["scope", "-id"], name="auditevent_scope")]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.target}"
