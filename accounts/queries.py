"""Reads about people's ways in."""

from datetime import datetime

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import QuerySet

from accounts.hashing import hash_secret
from accounts.models import ApiToken, Invitation, User


def open_invitations(*, secret: str, now: datetime) -> QuerySet[Invitation]:
    """The invitation behind a link; empty if it was used, has run out or never was.

    It is over as well when the person has got a password in another way.
    """
    return Invitation.objects.filter(
        token_hash=hash_secret(secret),
        accepted_at__isnull=True,
        expires_at__gt=now,
        user__is_active=True,
        user__password__startswith=UNUSABLE_PASSWORD_PREFIX,
    ).select_related("user", "invited_by")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """Tokens that still work, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at__isnull=True).order_by("-pk")
