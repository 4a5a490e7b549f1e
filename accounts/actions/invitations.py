"""Every write to invitations: the links by which people get in for the first time."""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.actions.audit import record_event
from accounts.actions.people import EmailTaken, check_password, check_person, create_user
from accounts.hashing import hash_secret
from accounts.models import Invitation, User
from accounts.queries import open_invitations
from common.errors import DomainError


class InvitationInvalid(DomainError):
    code = "invitation_invalid"
    detail = _("This invitation has been used or has expired. Ask for a new one.")
    status = 410


class AccountDeactivated(DomainError):
    code = "account_deactivated"
    detail = _("The account of %(email)s is deactivated. Ask an administrator to reactivate it.")


@dataclass(frozen=True, slots=True)
class IssuedInvitation:
    """An invitation with the secret of its link; without, where the link is for the mail alone."""

    invitation: Invitation
    secret: str


@transaction.atomic
def invite_user(
    *,
    email: str,
    name: str,
    actor: User | None,
    now: datetime,
    offer: Mapping[str, Any] | None = None,
) -> IssuedInvitation | None:
    """Return an invitation for a person, made without a password if unknown; None if they can sign in already.

    Raises PersonInvalid, AccountDeactivated.
    """
    user = User.objects.filter(email__iexact=email.strip()).first()
    if user is None:
        user = _made_or_found(email, name, actor, now)
    if not user.is_active:
        raise AccountDeactivated(email=user.email)
    if user.has_usable_password():
        return None
    nonce = secrets.token_urlsafe(32)
    secret = invitation_secret(nonce)
    invitation = Invitation.objects.create(
        user=user,
        nonce=nonce,
        token_hash=hash_secret(secret),
        invited_by=actor,
        created_at=now,
        expires_at=now + timedelta(days=settings.INVITATION_DAYS),
        offer=dict(offer or {}),
    )
    record_event(actor=actor, verb="user.invited", target=f"user:{user.pk}", now=now)
    return IssuedInvitation(invitation, secret)


def _made_or_found(email: str, name: str, actor: User | None, now: datetime) -> User:
    """The person's new account, or the one that somebody else has made at this moment."""
    try:
        return create_user(email=email, name=name, password=None, actor=actor, now=now)
    except EmailTaken:
        return User.objects.get(email__iexact=email.strip())


def invitation_secret(nonce: str) -> str:
    """The secret of an invitation's link, made again by whoever sends it; 256 bits."""
    digest = salted_hmac("accounts.Invitation.secret", nonce, algorithm="sha256").digest()
    return urlsafe_b64encode(digest).decode().rstrip("=")


def end_invitations(*, invitations: QuerySet[Invitation], now: datetime) -> int:
    """Let the links of those among `invitations` that still work lead nowhere; return how many."""
    waiting = invitations.filter(accepted_at__isnull=True, expires_at__gt=now)
    return waiting.update(accepted_at=now)


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
    check_password(password, user)
    if not Invitation.objects.filter(pk=invitation.pk, accepted_at__isnull=True).update(
        accepted_at=now
    ):
        raise InvitationInvalid
    user.name = name.strip()
    check_person(user)
    end_invitations(invitations=Invitation.objects.filter(user=user), now=now)
    user.set_password(password)
    user.save(update_fields=["name", "password"])
    record_event(actor=user, verb="invitation.accepted", target=f"user:{user.pk}", now=now)
    return user
