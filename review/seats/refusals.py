"""Why somebody gets no seat, keeps none or cannot give one back, each with the way out."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from review.models import Assignment


class RoundNotOpen(DomainError):
    """A round in which nobody gets a seat now."""


class RoundOpening(RoundNotOpen):
    code = "round_opening"
    detail = _("This round is being opened. You can take an item in a moment.")


class RoundClosed(RoundNotOpen):
    code = "round_closed"
    detail = _("This round is closed. You can no longer judge items in it.")


class OtherKind(RoundNotOpen):
    """A round that is asked for what rounds of another kind give."""

    code = "other_kind_of_round"
    detail = _("This round asks for something else: %(kind)s. Open it from its own page.")


class ReviewerNotWorking(DomainError):
    """A member who may not judge now, whatever their role."""

    status = 403


class NotMember(ReviewerNotWorking):
    code = "not_a_member"
    detail = _("You are not a member of this project, so you cannot judge its items.")


class ReviewerPaused(ReviewerNotWorking):
    """A pause stops further items; `held` is the one that the reviewer may still finish."""

    code = "reviewer_paused"
    detail = _("A manager has paused your reviewing in this project. Ask them to resume it.")
    held: Assignment | None = None
    message = ""


class ReviewerPausedWithMessage(ReviewerPaused):
    detail = _("A manager has paused your reviewing in this project and writes: “%(message)s”")


class PausedWithSeat(ReviewerPaused):
    detail = _(
        "A manager has paused your reviewing in this project. You can still finish the item you "
        "have taken, but you will not get new ones."
    )

    def __init__(self, held: Assignment, *, message: str = "") -> None:
        super().__init__()
        self.held, self.message = held, message

    def __str__(self) -> str:
        words = super().__str__()
        return f"{words} “{self.message}”" if self.message else words


class LanguageNotRead(ReviewerNotWorking):
    code = "language_not_read"
    detail = _(
        "This project's target language is not among your languages. Ask a manager to add it."
    )


class NotAsked(ReviewerNotWorking):
    code = "not_asked"
    detail = _("This round does not ask you. A manager can tell you which round is for you.")


class RoundPaused(RoundNotOpen):
    """Nobody gets a seat; who holds one may finish it."""

    code = "round_paused"
    detail = _("This round is paused. You get the next item when a manager resumes it.")


class RoundPausedWithReason(RoundPaused):
    detail = _("This round is paused: %(reason)s. You get the next item when a manager resumes it.")


class SeatLost(DomainError):
    code = "seat_expired"
    detail = _("Your reservation of this item has expired. What you typed is saved on this device.")


class SeatAlreadyJudged(DomainError):
    code = "already_judged"
    detail = _("You have already judged this item.")


class SeatTaken(DomainError):
    code = "seat_taken"
    detail = _("Somebody else is judging this item now.")


class TooManyHeld(DomainError):
    code = "too_many_held"
    detail = _("You already have another item open again. Judge that one first.")


class SkipNotFound(DomainError):
    code = "skip_not_found"
    detail = _("You did not skip this item, so there is nothing to undo.")
    status = 404


class SkipInvalid(DomainError):
    code = "skip_invalid"
    detail = _("Choose a reason from the list to skip this item.")
    status = 400


def reviewer_paused(message: str) -> ReviewerPaused:
    """The refusal for a person who is paused, with what the manager wrote."""
    error = ReviewerPausedWithMessage(message=message) if message else ReviewerPaused()
    error.message = message
    return error


def round_paused(reason: str) -> RoundPaused:
    return RoundPausedWithReason(reason=reason.rstrip(". ")) if reason else RoundPaused()
