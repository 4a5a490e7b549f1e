"""Every write to people, invitations, tokens and the record of what was done."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.hashing import hash_secret
from accounts.models import ApiToken, AuditEvent, Invitation, User
from accounts.queries import open_invitations
from common.errors import DomainError

ANONYMOUS = "-"


class EmailTaken(DomainError):
    code = "email_taken"
    detail = _("There is already an account with this e-mail address.")


class PersonInvalid(DomainError):
    code = "person_invalid"
    detail = _("This name or e-mail address cannot be used.")
    status = 400


class TokenNameInvalid(DomainError):
    code = "token_name_invalid"
    detail = _("Give the token a name of at most 100 characters.")
    status = 400


class InvitationInvalid(DomainError):
    code = "invitation_invalid"
    detail = _("This invitation has been used or has run out. Ask for a new one.")
    status = 410


class PasswordWeak(DomainError):
    code = "password_weak"
    detail = _("This password is not strong enough.")
    status = 400


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token row with its secret, which is shown once and never stored."""

    token: ApiToken
    secret: str


@dataclass(frozen=True, slots=True)
class IssuedInvitation:
    """An invitation with the secret of its link; without, where the link is for the mail alone."""

    invitation: Invitation
    secret: str


def record_event(
    *,
    actor: User | None,
    verb: str,
    target: str,
    now: datetime,
    scope: str = "",
    data: dict[str, Any] | None = None,
) -> AuditEvent:
    """Append one audit row; call it inside the transaction of what it records."""
    return AuditEvent.objects.create(
        actor=actor,
        actor_name=actor.email if actor else ANONYMOUS,
        verb=verb,
        target=target,
        scope=scope,
        data=data or {},
        request_id=str(structlog.contextvars.get_contextvars().get("request_id", "")),
        occurred_at=now,
    )


@transaction.atomic
def create_user(
    *, email: str, name: str, password: str | None, actor: User | None, now: datetime
) -> User:
    """Make an account; without a password it can only be entered by invitation.

    Without a name the part of the address before the @ stands in. Raises PersonInvalid,
    EmailTaken, PasswordWeak.
    """
    email = email.strip().lower()
    name = name.strip() or email.partition("@")[0]
    user = User(email=email, name=name, date_joined=now)
    _check_person(user)
    if password is not None:
        _check_password(password, user)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        raise EmailTaken from error
    record_event(actor=actor, verb="user.created", target=f"user:{user.pk}", now=now)
    return user


@transaction.atomic
def invite_user(*, email: str, name: str, actor: User, now: datetime) -> IssuedInvitation | None:
    """Return an invitation for a person, made without a password if unknown; None if they can sign in already."""
    user = User.objects.filter(email__iexact=email.strip()).first()
    if user is None:
        user = create_user(email=email, name=name, password=None, actor=actor, now=now)
    elif user.has_usable_password():
        return None
    secret = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        user=user,
        token_hash=hash_secret(secret),
        invited_by=actor,
        created_at=now,
        expires_at=now + timedelta(days=settings.INVITATION_DAYS),
    )
    record_event(actor=actor, verb="user.invited", target=f"user:{user.pk}", now=now)
    return IssuedInvitation(invitation, secret)


def end_invitations(*, invitations: QuerySet[Invitation], now: datetime) -> None:
    """Let the links of those among `invitations` that still work lead nowhere."""
    invitations.filter(accepted_at__isnull=True).update(accepted_at=now)


@transaction.atomic
def accept_invitation(*, secret: str, name: str, password: str, now: datetime) -> User:
    """Let the invited person in with the name and password of their choice, once.

    Any other invitation of theirs ends with it.
    Raises InvitationInvalid, PersonInvalid, PasswordWeak.
    """
    rows = open_invitations(secret=secret, now=now)
    invitation = rows.first()
    if invitation is None:
        raise InvitationInvalid
    user = invitation.user
    _check_password(password, user)
    if not Invitation.objects.filter(pk=invitation.pk, accepted_at__isnull=True).update(
        accepted_at=now
    ):
        raise InvitationInvalid
    user.name = name.strip()
    _check_person(user)
    end_invitations(invitations=Invitation.objects.filter(user=user), now=now)
    user.set_password(password)
    user.save(update_fields=["name", "password"])
    record_event(actor=user, verb="invitation.accepted", target=f"user:{user.pk}", now=now)
    return user


@transaction.atomic
def change_profile(*, user: User, name: str, actor: User | None, now: datetime) -> None:
    """Raises PersonInvalid."""
    user.name = name.strip()
    _check_person(user)
    user.save(update_fields=["name"])
    record_event(actor=actor, verb="user.changed", target=f"user:{user.pk}", now=now)


@transaction.atomic
def set_password(*, user: User, password: str, actor: User | None, now: datetime) -> None:
    """Give `user` a new password; every session that they have open ends. Raises PasswordWeak."""
    _check_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    record_event(actor=actor, verb="user.password_set", target=f"user:{user.pk}", now=now)


@transaction.atomic
def create_token(*, user: User, name: str, actor: User | None, now: datetime) -> IssuedToken:
    """Issue an API token; its secret is in the answer and nowhere else.

    Raises TokenNameInvalid.
    """
    name = name.strip()
    if not 0 < len(name) <= 100 or "\0" in name:
        raise TokenNameInvalid
    secret = secrets.token_hex(20)
    token = ApiToken.objects.create(
        user=user, name=name, token_hash=hash_secret(secret), created_at=now
    )
    record_event(actor=actor, verb="token.created", target=f"token:{token.pk}", now=now)
    return IssuedToken(token, secret)


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: User, now: datetime) -> None:
    """End a token; doing so again changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        record_event(actor=actor, verb="token.revoked", target=f"token:{token.pk}", now=now)


def _check_person(user: User) -> None:
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise PersonInvalid(fields=error.message_dict) from error
    if "\0" in user.name:
        raise PersonInvalid(
            fields={"name": [str(_("The name holds a character that is not text."))]}
        )


def _check_password(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise PasswordWeak(fields={"password": list(error.messages)}) from error
