"""Limits how often people try to get in, ask for e-mails and follow wrong links.

Sign-in and e-mails have two limits: AXES_FAILURE_LIMIT attempts on one account from one address,
and SIGN_IN_NETWORK_LIMIT from one network on any accounts. Wrong links have the first, by kind. Then
they rest for AXES_COOLOFF_TIME.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_cool_off
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.enums import SignInOutcome
from accounts.hashing import hash_secret
from accounts.networks import network_of
from accounts.queries import attempts_from
from accounts.rules import client_address
from common.errors import DomainError

INVITATION_LINK = "invitation-link"
RESET_LINK = "password-reset-link"


class TooManyAttempts(DomainError):
    code = "too_many_attempts"
    detail = _("Too many attempts. Try again in %(minutes)s minutes.")
    status = 429


def network_wait(
    request: HttpRequest, outcomes: Sequence[SignInOutcome], now: datetime
) -> timedelta:
    """How long nobody where the request comes from may try again; zero while few attempts ended so.

    One query, whoever is asked for, and none of the work of checking a password.
    """
    window = get_cool_off(request) or timedelta()
    network = network_of(client_address(request))
    attempts = attempts_from(network, outcomes, since=now - window)
    # The attempt that must grow old before there are few enough again.
    decisive = attempts[settings.SIGN_IN_NETWORK_LIMIT - 1 : settings.SIGN_IN_NETWORK_LIMIT]
    return max((at + window - now for at in decisive), default=timedelta())


def check_network(request: HttpRequest, outcomes: Sequence[SignInOutcome], now: datetime) -> None:
    """Raise TooManyAttempts while `network_wait` says so."""
    if wait := network_wait(request, outcomes, now):
        raise _too_many(wait)


def emails_to(email: str) -> str:
    """The kind of attempt that asks for an e-mail to `email`; the address itself is not stored."""
    return f"password-reset:{hash_secret(email.strip().lower())}"


def check_attempts(request: HttpRequest, kind: str) -> None:
    """Raise TooManyAttempts when the attempts of `kind` from where the request comes are used up."""
    if AxesProxyHandler.is_allowed(request, _credentials(kind)):
        return
    raise _too_many(get_cool_off(request) or timedelta())


def count_attempt(request: HttpRequest, kind: str) -> None:
    """Count one attempt of `kind`."""
    AxesProxyHandler.user_login_failed(
        sender=__name__, credentials=_credentials(kind), request=request
    )
    # The last attempt that is free is answered as usual, not by the sign-in page of those locked out.
    request.axes_locked_out = False  # type: ignore[attr-defined]


def _too_many(wait: timedelta) -> TooManyAttempts:
    seconds = math.ceil(wait.total_seconds())
    return TooManyAttempts(minutes=math.ceil(seconds / 60), retry_after_seconds=seconds)


def _credentials(kind: str) -> dict[str, str]:
    return {"username": kind}
