"""The reason that somebody gives for a decision: there is one, it can be stored, it is not endless."""

from typing import Any

from django.db.models import QuerySet
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


def store_reason(row: QuerySet[Any], field: str, reason: str, *, refusal: type[DomainError]) -> str:
    """Store the reason of a decision where none stands; return it, "" if the same stood there.

    `row` finds one row, whose `field` is empty while nobody has decided. Raises ReasonMissing,
    ReasonTooLong, TextInvalid, and `refusal` with another reason that stands, rather than drop it.
    """
    told = checked_reason(reason)
    if row.filter(**{field: ""}).update(**{field: told}):
        return told
    stands = row.values_list(field, flat=True).first()
    if stands is not None and stands != told:
        raise refusal(reason=stands)
    return ""


def clear_reason(row: QuerySet[Any], field: str, seen_reason: str | None) -> bool:
    """Undo the decision that somebody read; return whether it stood. Raises ReasonChanged.

    None says nothing about what was read.
    """
    stands = row.values_list(field, flat=True).first()
    if not stands:
        return False
    check_seen(seen_reason, stands)
    return bool(row.filter(**{field: stands}).update(**{field: ""}))
