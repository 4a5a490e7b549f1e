"""Taking a seat, keeping it and giving it back: a claim changes one row in one statement."""

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import move
from common.errors import DomainError
from common.prepared import prepared
from projects.models import Membership
from review.enums import SEAT_TRANSITIONS, RoundState, SeatState, SkipReason
from review.models import Assignment, ExpiredClaim, Judgement, Round, Skip
from review.rules import reads_language
from review.seat_search import SeatSearch, Standing

TURNS = 20
OPENING_SECONDS = 5
"""When to ask again for a seat of a round that is being opened."""


class RoundNotOpen(DomainError):
    """A round in which nobody gets a seat now."""


class RoundOpening(RoundNotOpen):
    code = "round_opening"
    detail = _("This round is being opened. You can take an item in a moment.")


class RoundClosed(RoundNotOpen):
    code = "round_closed"
    detail = _("This round is closed. You can no longer judge items in it.")


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


class PausedWithSeat(ReviewerPaused):
    detail = _(
        "A manager has paused your reviewing in this project. You can still finish the item you "
        "have taken, but you will not get new ones."
    )

    def __init__(self, held: Assignment) -> None:
        super().__init__()
        self.held = held


class LanguageNotRead(ReviewerNotWorking):
    code = "language_not_read"
    detail = _(
        "This project's target language is not among your languages. Ask a manager to add it."
    )


class SeatLost(DomainError):
    code = "seat_expired"
    detail = _("Your reservation of this item has expired. What you typed is saved on this device.")


class SeatAlreadyJudged(DomainError):
    code = "already_judged"
    detail = _("You have already judged this item.")


class SeatTaken(DomainError):
    code = "seat_taken"
    detail = _("Somebody else is judging this item now.")


class SkipNotFound(DomainError):
    code = "skip_not_found"
    detail = _("You did not skip this item, so there is nothing to undo.")
    status = 404


class SkipInvalid(DomainError):
    code = "skip_invalid"
    detail = _("Choose a reason from the list to skip this item.")
    status = 400


def claim_seat(*, round_: Round, reviewer: User, now: datetime) -> Assignment | None:
    """Give `reviewer` a seat for the reservation time, or None when nothing is left for them.

    Who holds a seat already gets that one again, so claiming twice takes one seat. Seats whose
    time ran out are freed when no other is left. Never offered: panels the reviewer sits on,
    skipped or wrote the text of, subjects outside their expertise, and, unless the round allows
    it, items they judged in the round before.

    Raises RoundNotOpen, NotMember, ReviewerPaused (PausedWithSeat for who may finish what they
    hold), LanguageNotRead.
    """
    try:
        search = _search_of_working(round_, reviewer)
    except ReviewerPaused:
        if held := _held_in_time(round_, reviewer, now):
            raise PausedWithSeat(held) from None
        raise
    if _has_reached_cap(round_, reviewer):
        return _still_held(round_, reviewer, now)
    try:
        with _savepoint_if_needed():
            taken = search.take_next(now)
        return taken or _held_or_left(search, round_, reviewer, now)
    except IntegrityError:  # the same person claims in two windows at once
        return _still_held(round_, reviewer, now)


def renew_seat(*, assignment: Assignment, reviewer: User, now: datetime) -> Assignment:
    """Give a seat again to the person who held it, after its time ran out and if it is still free.

    Only who held the seat before gets it, and only if a claim could offer it to them now, so
    nobody chooses an item by naming its seat.

    Raises RoundNotOpen, SeatAlreadyJudged, SeatTaken, NotMember, ReviewerPaused, LanguageNotRead.
    """
    round_ = assignment.round
    search = _search_of_working(round_, reviewer)
    until = now + timedelta(minutes=round_.reservation_minutes)
    rows = Assignment.objects.filter(pk=assignment.pk)
    if rows.filter(state=SeatState.CLAIMED, reviewer=reviewer).update(expires_at=until):
        return rows.select_related("round__project", "panel").get()
    if Judgement.objects.filter(panel_id=assignment.panel_id, reviewer=reviewer).exists():
        raise SeatAlreadyJudged
    free_expired_seats(round_=round_, now=now)
    held_it = ExpiredClaim.objects.filter(assignment=assignment, reviewer=reviewer).exists()
    if not held_it or _has_reached_cap(round_, reviewer):
        raise SeatTaken
    return _take_this(assignment, search, now)


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
    seat = Assignment.objects.filter(pk=assignment.pk, reviewer=reviewer)
    claimed_at = seat.values_list("claimed_at", flat=True).first()
    move(
        seat,
        to=SeatState.OPEN,
        transitions=SEAT_TRANSITIONS,
        refusal=SeatLost,
        reviewer=None,
        claimed_at=None,
        expires_at=None,
    )
    Skip.objects.create(
        panel_id=assignment.panel_id,
        reviewer=reviewer,
        reason=reason,
        note=note,
        claimed_at=claimed_at,
        skipped_at=now,
    )


@transaction.atomic
def undo_skip(*, assignment: Assignment, reviewer: User, now: datetime) -> Assignment:
    """Give a seat back to the person who skipped it, in place of the one that they hold now.

    In one transaction: the seat held now is free again, the skip is deleted, the skipped seat is
    theirs for the reservation time. Doing so again changes nothing.

    Raises RoundNotOpen, SkipNotFound, SeatTaken (then they keep what they hold), NotMember,
    ReviewerPaused, LanguageNotRead.
    """
    round_ = assignment.round
    search = _search_of_working(round_, reviewer)
    held = held_seat(round_=round_, reviewer=reviewer)
    if held and held.pk == assignment.pk:
        return held
    skip = Skip.objects.filter(panel_id=assignment.panel_id, reviewer=reviewer).first()
    if skip is None or not Skip.objects.filter(pk=skip.pk).delete()[0]:
        raise SkipNotFound
    if held:
        _give_back(held, reviewer)
    # What they worked on it before the skip is still their time.
    ExpiredClaim.objects.bulk_create(
        [
            ExpiredClaim(
                assignment_id=assignment.pk,
                reviewer=reviewer,
                claimed_at=skip.claimed_at,
                expired_at=skip.skipped_at,
            )
        ],
        ignore_conflicts=True,
    )
    return _take_this(assignment, search, now)


@transaction.atomic
def free_expired_seats(*, round_: Round, now: datetime) -> int:
    """Open the seats whose time ran out and remember who held them; return how many."""
    expired = Assignment.objects.filter(round=round_, state=SeatState.CLAIMED, expires_at__lte=now)
    # Locked rows are being judged or freed by somebody else this very moment.
    locked = expired.select_for_update(skip_locked=True)
    held = list(locked.values_list("pk", "reviewer_id", "claimed_at"))
    if not held:
        return 0
    ExpiredClaim.objects.bulk_create(
        (
            ExpiredClaim(assignment_id=pk, reviewer_id=who, claimed_at=since, expired_at=now)
            for pk, who, since in held
        ),
        ignore_conflicts=True,
    )
    found = [pk for pk, _who, _since in held]
    rows = Assignment.objects.filter(pk__in=found, state=SeatState.CLAIMED, expires_at__lte=now)
    return rows.update(state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None)


def give_back_seats(reviewer: User, project_slug: str, _now: datetime) -> int:
    """Open every seat that `reviewer` holds in the project, or anywhere; return how many.

    For a person who may no longer work: unlike one whose time ran out they cannot renew them.
    """
    held = Assignment.objects.filter(reviewer=reviewer, state=SeatState.CLAIMED)
    if project_slug:
        held = held.filter(round__in=Round.objects.filter(project__slug=project_slug))
    return held.update(state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None)


def held_seat(*, round_: Round, reviewer: User) -> Assignment | None:
    """The seat that `reviewer` holds in the round now."""
    seat = Assignment.objects.filter(
        round=round_, reviewer=reviewer, state=SeatState.CLAIMED
    ).first()
    if seat:
        seat.round = round_
    return seat


def _held_or_left(
    search: SeatSearch, round_: Round, reviewer: User, now: datetime
) -> Assignment | None:
    """The seat held already, else one from the start of the round, with those that ran out."""
    held = _still_held(round_, reviewer, now)
    if held:
        return held
    free_expired_seats(round_=round_, now=now)
    for _turn in range(TURNS):
        with _savepoint_if_needed():
            taken = search.take_any(now)
        # Nothing taken, yet something to take: others were at those seats at the same moment.
        if taken or not search.finds_any():
            return taken
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


def _search_of_working(round_: Round, reviewer: User) -> SeatSearch:
    """The search for a person who may judge in the round now.

    Raises RoundNotOpen, NotMember, ReviewerPaused, LanguageNotRead.
    """
    if round_.state == RoundState.OPENING:
        raise RoundOpening(retry_after_seconds=OPENING_SECONDS)
    if round_.state != RoundState.OPEN:
        raise RoundClosed
    member = _membership.first(project=round_.project_id, user=reviewer.pk)
    if member is None:
        raise NotMember
    if member.is_paused:
        raise ReviewerPaused
    if member.languages and not reads_language(member.languages, round_.project.target_language):
        raise LanguageNotRead
    return SeatSearch(round_, reviewer, Standing(member.pk, member.has_expertise))


def _held_in_time(round_: Round, reviewer: User, now: datetime) -> Assignment | None:
    """The seat that `reviewer` holds, unless its time is over."""
    held = held_seat(round_=round_, reviewer=reviewer)
    return held if held and held.expires_at and held.expires_at > now else None


@prepared(project=int, user=int)
def _membership(project: int, user: int) -> QuerySet[Any]:
    expertise = Membership.subjects.through.objects.filter(membership=OuterRef("pk"))
    rows: QuerySet[Any] = Membership.objects.only("is_paused", "languages").annotate(
        has_expertise=Exists(expertise)
    )
    return rows.filter(project_id=project, user_id=user)


def _has_reached_cap(round_: Round, reviewer: User) -> bool:
    if round_.cap_per_person is None:
        return False
    return (
        Assignment.objects.filter(round=round_, reviewer=reviewer).count() >= round_.cap_per_person
    )


def _take_this(assignment: Assignment, search: SeatSearch, now: datetime) -> Assignment:
    """Take one certain seat. Raises SeatTaken when somebody was quicker or the person holds another."""
    try:
        with _savepoint_if_needed():
            taken = search.take_this(assignment, now)
    except IntegrityError as error:
        raise SeatTaken from error
    if taken is None:
        raise SeatTaken
    return taken


def _give_back(held: Assignment, reviewer: User) -> None:
    Assignment.objects.filter(pk=held.pk, reviewer=reviewer, state=SeatState.CLAIMED).update(
        state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None
    )


def _savepoint_if_needed() -> AbstractContextManager[None]:
    """Keep an IntegrityError from breaking a transaction around us; one statement alone needs none."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
