"""People, how they get in, and the append-only record of what was done."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.enums import AccountState, DigestChoice, EmailKind, SignInOutcome
from accounts.managers import UserManager
from common.outbox import OutboxRow


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by e-mail. Never deleted once there is work: deactivated instead."""

    email = models.EmailField(_("e-mail"), max_length=254, unique=True)
    name = models.CharField(_("name"), max_length=150)
    # The language of the pages; empty means what the browser asks for.
    language = models.CharField(_("language"), max_length=20, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    # A program acts under this name: what it judges counts as simulated wherever figures are told.
    is_simulated = models.BooleanField(default=False, db_default=False)
    date_joined = models.DateTimeField()
    # A session holds for one generation: raising it ends all of them at once.
    session_generation = models.PositiveIntegerField(default=0)
    # Up to when they have seen what became of their work; none means that all is news.
    news_seen_at = models.DateTimeField(null=True, blank=True)
    # Kept by whoever tells them of something, so that the bell on every page costs nothing.
    unread_count = models.PositiveIntegerField(default=0, db_default=0)
    digest = models.CharField(
        max_length=6,
        choices=DigestChoice,
        default=DigestChoice.DAILY,
        db_default=DigestChoice.DAILY.value,
    )

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_one"),
            models.CheckConstraint(
                condition=Q(digest__in=DigestChoice.values), name="user_digest_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def state(self) -> AccountState:
        if not self.is_active:
            return AccountState.DEACTIVATED
        return AccountState.ACTIVE if self.has_usable_password() else AccountState.INVITED

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session is checked against; Django asks for it under the current and older keys."""
        value = f"{self.password}:{self.session_generation}"
        key_salt = "accounts.User.session"
        return salted_hmac(key_salt, value, secret=secret, algorithm="sha256").hexdigest()


class Invitation(models.Model):
    """A link that lets an invited person set name and password once.

    `nonce` and the server's secret key make the secret of the link; who reads this table alone
    cannot follow it. `offer` is what it says of the work (`accounts.offers`).
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="invitations")
    nonce = models.CharField(max_length=43, blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    offer = models.JSONField(default=dict)

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


class OutgoingEmail(OutboxRow):
    """An e-mail that a worker is to send; the row goes when it is sent or given up.

    `data` says what it is about, never its text: no secret rests here.
    """

    kind = models.CharField(max_length=14, choices=EmailKind)
    data = models.JSONField()
    language = models.CharField(max_length=20)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="outgoingemail_due")]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=EmailKind.values), name="outgoingemail_kind_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} since {self.created_at}"


class SignInAttempt(models.Model):
    """One attempt to get in, kept for SIGN_IN_HISTORY_DAYS; `user` is empty for an unknown address.

    `network` is what attempts are counted by: the address itself, or the /64 of an IPv6 address.
    """

    user = models.ForeignKey(
        User, null=True, on_delete=models.PROTECT, related_name="sign_in_attempts", db_index=False
    )
    address = models.CharField(max_length=45, blank=True)
    network = models.CharField(max_length=49, blank=True)
    outcome = models.CharField(max_length=14, choices=SignInOutcome)
    occurred_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["user", "-id"], name="signin_of_person"),
            models.Index(fields=["network", "-occurred_at"], name="signin_from_network"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=SignInOutcome.values), name="signin_outcome_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} from {self.address}"


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
        indexes = [
            models.Index(fields=["scope", "-id"], name="auditevent_scope"),
            models.Index(fields=["scope", "target"], name="auditevent_target"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.target}"
