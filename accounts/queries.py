"""Questions about accounts and people's ways in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Q, QuerySet

from accounts.enums import AccountState, SignInOutcome
from accounts.hashing import hash_secret
from accounts.models import ApiToken, Invitation, SignInAttempt, User

SIGN_IN_COLUMNS = ("id", "occurred_at", "account", "address", "outcome")
ROWS_AT_ONCE = 2000
_IS_INVITED = Q(is_active=True, password__startswith=UNUSABLE_PASSWORD_PREFIX)
_IN_STATE = {
    AccountState.ACTIVE: Q(is_active=True) & ~_IS_INVITED,
    AccountState.INVITED: _IS_INVITED,
    AccountState.DEACTIVATED: Q(is_active=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountFilter:
    """Which accounts to list; empty means any. `query` is part of a name or an e-mail address."""

    query: str = ""
    state: str = ""
    is_administrator: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInFilter:
    """Which attempts to read; empty means any. `account` is an e-mail address in any case."""

    account: str = ""
    address: str = ""
    outcome: str = ""
    since: datetime | None = None
    until: datetime | None = None


def accounts(wanted: AccountFilter) -> QuerySet[User]:
    """The accounts that `wanted` names; order them by `email`."""
    found = User.objects.all()
    if wanted.query.strip():
        text = wanted.query.strip()
        found = found.filter(Q(email__icontains=text) | Q(name__icontains=text))
    if wanted.state:
        found = found.filter(_IN_STATE[AccountState(wanted.state)])
    if wanted.is_administrator:
        found = found.filter(is_superuser=True)
    return found


def sign_ins(wanted: SignInFilter, *, now: datetime) -> QuerySet[SignInAttempt]:
    """Attempts to sign in of the last SIGN_IN_HISTORY_DAYS; order them by `-pk`."""
    oldest = now - timedelta(days=settings.SIGN_IN_HISTORY_DAYS)
    found = SignInAttempt.objects.filter(occurred_at__gte=oldest).select_related("user")
    if wanted.account:
        people = User.objects.filter(email__iexact=wanted.account.strip())
        # The person first, so that the database can use the index on the person.
        found = found.filter(user__in=list(people.values_list("pk", flat=True)))
    for name, value in (
        ("address", wanted.address.strip()),
        ("outcome", wanted.outcome),
        ("occurred_at__gte", wanted.since),
        ("occurred_at__lt", wanted.until),
    ):
        if value:
            found = found.filter(**{name: value})
    return found


def sign_ins_of(user: User, *, now: datetime) -> QuerySet[SignInAttempt]:
    """The attempts at one account, newest first."""
    return sign_ins(SignInFilter(), now=now).filter(user=user).order_by("-pk")


def attempts_from(
    network: str, outcomes: Sequence[SignInOutcome], *, since: datetime
) -> QuerySet[SignInAttempt, datetime]:
    """When somebody in a network tried and it ended in one of these ways, newest first."""
    attempts = SignInAttempt.objects.filter(network=network, occurred_at__gt=since)
    found = attempts.filter(outcome__in=outcomes).order_by("-occurred_at")
    return found.values_list("occurred_at", flat=True)


def sign_in_rows(attempts: QuerySet[SignInAttempt]) -> Iterator[dict[str, Any]]:
    """Each attempt as plain values under the names of SIGN_IN_COLUMNS, newest first, as a stream."""
    for attempt in attempts.order_by("-pk").iterator(chunk_size=ROWS_AT_ONCE):
        yield {
            "id": attempt.pk,
            "occurred_at": attempt.occurred_at.isoformat(),
            "account": attempt.user.email if attempt.user else "",
            "address": attempt.address,
            "outcome": attempt.outcome,
        }


def open_invitations(*, secret: str, now: datetime) -> QuerySet[Invitation]:
    """The invitation behind a link; empty if it was used, has run out or never was."""
    return usable_invitations(now=now).filter(token_hash=hash_secret(secret))


def usable_invitations(*, now: datetime) -> QuerySet[Invitation]:
    """Invitations whose link still works; it ends when the person gets a password in another way."""
    return Invitation.objects.filter(
        accepted_at__isnull=True,
        expires_at__gt=now,
        user__is_active=True,
        user__password__startswith=UNUSABLE_PASSWORD_PREFIX,
    ).select_related("user", "invited_by")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """Tokens that still work, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at__isnull=True).order_by("-pk")
