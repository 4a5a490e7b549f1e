"""Taking a seat, keeping it and giving it back: a claim is a compare-and-swap on one row."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Membership
from common.db import move
from common.errors import DomainError
from review.enums import SEAT_TRANSITIONS, RoundState, SeatState, SkipReason
from review.models import Assignment, Judgement, Round, Skip
from review.next_seats import NextSeats
from review.rules import reads_language

TURNS = 20


class RoundClosed(DomainError):
    code = "round_closed"
    detail = _("This round is closed; nothing more can be judged in it.")


class ReviewerNotWorking(DomainError):
    """A member who may not judge now, whatever their role."""

    status = 403


class ReviewerPaused(ReviewerNotWorking):
    code = "reviewer_paused"
    detail = _("Your reviewing is paused in this project. Please ask a manager.")


class LanguageNotRead(ReviewerNotWorking):
    code = "language_not_read"
    detail = _(
        "Your languages in this project do not name the one of its translations. Please ask a "
        "manager to add it."
    )


class SeatLost(DomainError):
    code = "seat_expired"
    detail = _(
        "The time for this item is over and the seat was freed. What you typed is kept here."
    )


class SeatAlreadyJudged(DomainError):
    code = "already_judged"
    detail = _("You have already judged this item.")


class SeatTaken(DomainError):
    code = "seat_taken"
    detail = _("Somebody else has this seat now.")


class SkipInvalid(DomainError):
    code = "skip_invalid"
    detail = _("The item was not skipped: choose a reason from the list.")
    status = 400


def claim_seat(*, round_: Round, reviewer: User, now: datetime) -> Assignment | None:
    """Give `reviewer` a seat for the reservation time, or None when nothing is left for them.

    Who holds a seat already gets that one again, so claiming twice takes one seat. Seats whose
    time ran out are freed first. Never offered: panels the reviewer sits on, skipped or wrote
    the text of, subjects outside their expertise, and, unless the round allows it, items they
    judged in the round before.

    Raises RoundClosed, ReviewerPaused, LanguageNotRead.
    """
    if round_.state != RoundState.OPEN:
        raise RoundClosed
    subjects = _subjects_of_working(round_, reviewer)
    held = _free_expired_and_find_held(round_, reviewer, now)
    if held or _has_reached_cap(round_, reviewer):
        return held
    search = NextSeats(round_, reviewer, subjects)
    for after in {_last_position(round_, reviewer): None, 0: None}:
        seat = _claim_first(after, search, round_, now)
        if seat:
            return seat
    return None


def renew_seat(*, assignment: Assignment, reviewer: User, now: datetime) -> Assignment:
    """Give the same seat to the same person again after its time ran out, if nobody else has it.

    An open seat is given to those only whom a claim could offer it to, so nobody gets at an item
    by naming its seat.

    Raises RoundClosed, SeatAlreadyJudged, SeatTaken, ReviewerPaused, LanguageNotRead.
    """
    round_ = assignment.round
    if round_.state != RoundState.OPEN:
        raise RoundClosed
    subjects = _subjects_of_working(round_, reviewer)
    until = now + timedelta(minutes=round_.reservation_minutes)
    rows = Assignment.objects.filter(pk=assignment.pk)
    if rows.filter(state=SeatState.CLAIMED, reviewer=reviewer).update(expires_at=until):
        return rows.select_related("round__project", "panel").get()
    if Judgement.objects.filter(panel_id=assignment.panel_id, reviewer=reviewer).exists():
        raise SeatAlreadyJudged
    is_offered = NextSeats(round_, reviewer, subjects).offers(assignment)
    if not is_offered or _has_reached_cap(round_, reviewer):
        raise SeatTaken
    if not _take(rows, round_, reviewer, now):
        raise SeatTaken
    return rows.select_related("round__project", "panel").get()


@transaction.atomic
def skip_seat(
    *, assignment: Assignment, reviewer: User, reason: SkipReason, note: str, now: datetime
) -> None:
    """Give a seat back with a reason; it is free at once, for anybody but this reviewer.

    Doing so again changes nothing. Raises SeatAlreadyJudged, SeatLost.
    """
    if Skip.objects.filter(panel_id=assignment.panel_id, reviewer=reviewer).exists():
        return
    if assignment.state == SeatState.JUDGED and assignment.reviewer_id == reviewer.pk:
        raise SeatAlreadyJudged
    move(
        Assignment.objects.filter(pk=assignment.pk, reviewer=reviewer),
        to=SeatState.OPEN,
        transitions=SEAT_TRANSITIONS,
        refusal=SeatLost,
        reviewer=None,
        claimed_at=None,
        expires_at=None,
    )
    Skip.objects.create(
        panel_id=assignment.panel_id, reviewer=reviewer, reason=reason, note=note, skipped_at=now
    )


def free_expired_seats(*, round_: Round, now: datetime) -> int:
    """Open the seats whose time ran out; return how many."""
    expired = Assignment.objects.filter(round=round_, state=SeatState.CLAIMED, expires_at__lte=now)
    with transaction.atomic():
        # Locked rows are being judged or freed by somebody else this very moment.
        found = expired.select_for_update(skip_locked=True).values_list("pk", flat=True)
        rows = Assignment.objects.filter(
            pk__in=list(found), state=SeatState.CLAIMED, expires_at__lte=now
        )
        return rows.update(state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None)


def held_seat(*, round_: Round, reviewer: User) -> Assignment | None:
    """The seat that `reviewer` holds in the round now."""
    seat = Assignment.objects.filter(
        round=round_, reviewer=reviewer, state=SeatState.CLAIMED
    ).first()
    if seat:
        seat.round = round_
    return seat


def _free_expired_and_find_held(round_: Round, reviewer: User, now: datetime) -> Assignment | None:
    """One look at the claimed seats, at most one a person, answers both questions."""
    claimed = Assignment.objects.filter(round=round_, state=SeatState.CLAIMED).values_list(
        "reviewer_id", "expires_at"
    )
    rows = list(claimed)
    if any(expires_at <= now for _reviewer, expires_at in rows if expires_at):
        free_expired_seats(round_=round_, now=now)
    if any(reviewer_id == reviewer.pk for reviewer_id, _expires_at in rows):
        return _still_held(round_, reviewer, now)
    return None


def _still_held(round_: Round, reviewer: User, now: datetime) -> Assignment | None:
    """The held seat, with time left.

    A seat can be seen here as held although its time is over while somebody else is just
    freeing it; extending it by compare-and-swap settles who was first.
    """
    held = held_seat(round_=round_, reviewer=reviewer)
    if held is None or (held.expires_at and held.expires_at > now):
        return held
    extended = Assignment.objects.filter(
        pk=held.pk, reviewer=reviewer, state=SeatState.CLAIMED
    ).update(expires_at=now + timedelta(minutes=round_.reservation_minutes))
    return held_seat(round_=round_, reviewer=reviewer) if extended else None


def _subjects_of_working(round_: Round, reviewer: User) -> list[int]:
    """The subjects of the reviewer's expertise, none meaning all.

    Raises ReviewerPaused, LanguageNotRead.
    """
    rows = list(
        Membership.objects.filter(project_id=round_.project_id, user=reviewer).values_list(
            "is_paused", "languages", "subjects"
        )
    )
    if not rows or rows[0][0]:
        raise ReviewerPaused
    languages = rows[0][1]
    if languages and not reads_language(languages, round_.project.target_language):
        raise LanguageNotRead
    return [subject for _is_paused, _languages, subject in rows if subject is not None]


def _has_reached_cap(round_: Round, reviewer: User) -> bool:
    if round_.cap_per_person is None:
        return False
    return (
        Assignment.objects.filter(round=round_, reviewer=reviewer).count() >= round_.cap_per_person
    )


def _last_position(round_: Round, reviewer: User) -> int:
    """Where the reviewer was last.

    Searching on from there instead of from the start keeps a claim at the same cost however
    many items the reviewer has behind them; what was freed there comes last.
    """
    last = (
        Assignment.objects.filter(round=round_, reviewer=reviewer)
        .order_by("-claimed_at")
        .values_list("position", flat=True)[:1]
    )
    return next(iter(last), 0)


def _claim_first(after: int, search: NextSeats, round_: Round, now: datetime) -> Assignment | None:
    for _turn in range(TURNS):
        candidates = search.after(after)
        if not candidates:
            return None
        for seat in candidates:
            if _take(Assignment.objects.filter(pk=seat.pk), round_, search.reviewer, now):
                return _as_taken(seat, round_, search.reviewer, now)
            held = _still_held(round_, search.reviewer, now)
            if held:
                return held
    return None


def _as_taken(seat: Assignment, round_: Round, reviewer: User, now: datetime) -> Assignment:
    """The seat as the swap has left its row, without reading it again."""
    seat.state, seat.reviewer, seat.round = SeatState.CLAIMED, reviewer, round_
    seat.claimed_at = now
    seat.expires_at = now + timedelta(minutes=round_.reservation_minutes)
    return seat


def _take(rows: QuerySet[Assignment], round_: Round, reviewer: User, now: datetime) -> bool:
    """Swap one open seat to `reviewer`; False if somebody was quicker, or they hold another."""
    try:
        with transaction.atomic():
            # No join here: PostgreSQL would test a joined condition on its old snapshot after
            # waiting for the row, and two could win. Closing a round closes its open seats.
            taken = rows.filter(state=SeatState.OPEN).update(
                state=SeatState.CLAIMED,
                reviewer=reviewer,
                claimed_at=now,
                expires_at=now + timedelta(minutes=round_.reservation_minutes),
            )
    except IntegrityError:
        return False
    return bool(taken)
