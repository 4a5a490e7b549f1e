"""The reason that somebody gives for a decision: there is one, it can be stored, it is not endless."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError, plain_text

REASON_LENGTH = 2000


class ReasonMissing(DomainError):
    code = "reason_missing"
    detail = _("Give a reason, so that others can understand the decision.")
    status = 400


class ReasonTooLong(DomainError):
    code = "reason_too_long"
    detail = _("Give the reason in at most %(length)s characters.")
    status = 400


class ReasonChanged(DomainError):
    code = "reason_changed"
    detail = _(
        "The reason has changed since you read it. Load the page again if you still want to do this. "
        "The reason is now: %(reason)s"
    )


def checked_reason(reason: str) -> str:
    """Return the reason without outer blanks. Raises TextInvalid, ReasonMissing, ReasonTooLong."""
    reason = plain_text(reason)
    if not reason:
        raise ReasonMissing
    if len(reason) > REASON_LENGTH:
        raise ReasonTooLong(length=REASON_LENGTH)
    return reason


def check_seen(seen_reason: str | None, reason: str) -> None:
    """Raise ReasonChanged if somebody read another reason than the one of now; spaces do not count."""
    if seen_reason is not None and seen_reason.split() != reason.split():
        raise ReasonChanged(reason=reason, current={"reason": reason})
