"""Limits how often letters are asked for and wrong links are tried, by the counter that guards sign-in.

Like sign-in: AXES_FAILURE_LIMIT tries of one kind from one place, then AXES_COOLOFF_TIME of rest.
"""

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_cool_off
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.hashing import hash_secret
from common.errors import DomainError

INVITATION_LINK = "invitation-link"
RESET_LINK = "password-reset-link"


class TooManyTries(DomainError):
    code = "too_many_tries"
    detail = _("That was tried too often. Try again in %(minutes)s minutes.")
    status = 429


def letters_to(email: str) -> str:
    """The kind of try that asks for a letter to `email`, whose address is not written down."""
    return f"password-reset:{hash_secret(email.strip().lower())}"


def check_tries(request: HttpRequest, kind: str) -> None:
    """Raise TooManyTries when the tries of `kind` from where the request comes are used up."""
    if AxesProxyHandler.is_allowed(request, _credentials(kind)):
        return
    wait = get_cool_off(request)
    seconds = int(wait.total_seconds()) if wait else 0
    raise TooManyTries(minutes=-(-seconds // 60), retry_after_seconds=seconds)


def count_try(request: HttpRequest, kind: str) -> None:
    """Count one try of `kind`."""
    AxesProxyHandler.user_login_failed(
        sender=__name__, credentials=_credentials(kind), request=request
    )
    # The last try that is free is answered as usual, not by the sign-in page of those locked out.
    request.axes_locked_out = False  # type: ignore[attr-defined]


def _credentials(kind: str) -> dict[str, str]:
    return {"username": kind}
