"""Every write to API tokens."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions.audit import record_event
from accounts.hashing import hash_secret
from accounts.models import ApiToken, User
from common.errors import DomainError


class TokenNameInvalid(DomainError):
    code = "token_name_invalid"
    detail = _("Give the token a name of at most 100 characters.")
    status = 400


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token row with its secret, which is shown once and never stored."""

    token: ApiToken
    secret: str


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


def revoke_tokens_of(*, user: User, now: datetime) -> int:
    """End every API token of `user`, as part of a larger step that records it; return how many."""
    return ApiToken.objects.filter(user=user, revoked_at__isnull=True).update(revoked_at=now)
