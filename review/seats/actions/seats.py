"""Taking a seat, keeping it and giving it back: a claim changes one row in one statement."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from accounts.models import User
from common.db import move
from common.prepared import prepared
from projects.models import Membership
from projects.solving import reads_language
from review.audience import Audience
from review.enums import SEAT_TRANSITIONS, RoundKind, RoundState, SeatState, SkipReason
from review.models import Assignment, ExpiredClaim, Judgement, Round, Skip
from review.rules import is_asked
from review.seats.refusals import (
    LanguageNotRead,
    NotAsked,
    NotMember,
    OtherKind,
    PausedWithSeat,
    ReviewerPaused,
    RoundClosed,
    RoundOpening,
    RoundPaused,
    SeatAlreadyJudged,
    SeatLost,
    SeatTaken,
    SkipNotFound,
    TooManyHeld,
    reviewer_paused,
    round_paused,
)
from review.seats.search import SeatSearch, Standing

TURNS = 20
OPENING_SECONDS = 5
"""When to ask again for a seat of a round that is being opened."""


def claim_seat(
    *, round_: Round, reviewer: User, now: datetime, kind: RoundKind = RoundKind.REVIEW
) -> Assignment | None:
    """Give `reviewer` a seat for the reservation time, or None when nothing is left for them.

    Who holds a seat already gets that one again, of several the first, so claiming twice takes one
    seat. Seats whose time ran out are freed when no other is left. Never offered: panels the reviewer sits on,
    skipped or wrote the text of, subjects outside their expertise, and, unless the round allows
    it, items they judged in the round before.

    Raises RoundNotOpen (OtherKind unless the round is of `kind`), NotMember, ReviewerPaused
    (PausedWithSeat for who may finish what they hold), LanguageNotRead.
    """
    try:
        search = search_of_working(round_, reviewer, kind=kind)
    except ReviewerPaused as pause:
        if held := _held_in_time(round_, reviewer, now):
            raise PausedWithSeat(held, message=pause.message) from None
        raise
    except RoundPaused:
        if held := _held_in_time(round_, reviewer, now):
            return held
        raise
    if has_reached_cap(round_, reviewer):
        return _still_held(round_, reviewer, now)
    try:
        with _savepoint_if_needed():
            taken = search.take_next(now)
        return taken or _held_or_left(search, round_, reviewer, now)
    except IntegrityError:  # the same person claims in two windows at once
        return _still_held(round_, reviewer, now)


def reserve_seats(*, round_: Round, reviewer: User, now: datetime) -> list[Assignment]:
    """All seats that `reviewer` holds, the first first, filled up to one and `items_ahead` more.

    The workbench keeps them, so that the next item is there at once, and without a connection.
    Every seat counts against the cap. Those with less than half of their time left are renewed:
    who asks is at work. A paused reviewer gets no new ones.

    Raises as `claim_seat` does; PausedWithSeat while seats are held.
    """
    try:
        search = search_of_working(round_, reviewer)
    except ReviewerPaused as pause:
        if held := _held_in_time(round_, reviewer, now):
            raise PausedWithSeat(held, message=pause.message) from None
        raise
    except RoundPaused:
        if _held_in_time(round_, reviewer, now):
            return held_seats(round_=round_, reviewer=reviewer)
        raise
    seats = _renewed(round_, reviewer, now)
    for slot in _free_slots(seats, round_.project.items_ahead)[: _room(round_, reviewer)]:
        try:
            with _savepoint_if_needed():
                taken = _next_left(search, round_, now, slot)
        except IntegrityError:  # another window of the same person fills up at this moment
            return _renewed(round_, reviewer, now)
        if taken is None:
            break
        seats.append(taken)
    return seats


def renew_seat(*, assignment: Assignment, reviewer: User, now: datetime) -> Assignment:
    """Give a seat again to the person who held it, after its time ran out and if it is still free.

    Only who held the seat before gets it, and only if a claim could offer it to them now, so
    nobody chooses an item by naming its seat. A pause of the round does not stop it: work that was
    done without a connection may come in while nobody gets new items.

    Raises RoundClosed, SeatAlreadyJudged, SeatTaken, NotMember, ReviewerPaused, LanguageNotRead.
    """
    round_ = assignment.round
    search = search_of_working(round_, reviewer, is_new=False, kind=RoundKind(round_.kind))
    until = now + timedelta(minutes=round_.reservation_minutes)
    rows = Assignment.objects.filter(pk=assignment.pk)
    if rows.filter(state=SeatState.CLAIMED, reviewer=reviewer).update(expires_at=until):
        return rows.select_related("round__project", "panel").get()
    if assignment.state == SeatState.JUDGED and assignment.reviewer_id == reviewer.pk:
        raise SeatAlreadyJudged
    if Judgement.with_controls.filter(panel_id=assignment.panel_id, reviewer=reviewer).exists():
        raise SeatAlreadyJudged
    free_expired_seats(round_=round_, now=now)
    held_it = ExpiredClaim.objects.filter(assignment=assignment, reviewer=reviewer).exists()
    if not held_it or has_reached_cap(round_, reviewer):
        raise SeatTaken
    return take_again(assignment, search, now)


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
    """Give a seat back to the person who skipped it; those that they hold meanwhile stay theirs.

    In one transaction: the skip is deleted, the skipped seat is theirs for the reservation time.
    Doing so again changes nothing. A pause of the round does not stop it: the item is no new one.

    Raises RoundClosed, SkipNotFound, SeatTaken, TooManyHeld, NotMember, ReviewerPaused,
    LanguageNotRead.
    """
    round_ = assignment.round
    search = search_of_working(round_, reviewer, is_new=False)
    held = Assignment.objects.filter(
        pk=assignment.pk, reviewer=reviewer, state=SeatState.CLAIMED
    ).first()
    if held:
        held.round = round_
        return held
    skip = Skip.objects.filter(panel_id=assignment.panel_id, reviewer=reviewer).first()
    if skip is None or not Skip.objects.filter(pk=skip.pk).delete()[0]:
        raise SkipNotFound
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
    return take_again(assignment, search, now)


@transaction.atomic
def free_expired_seats(*, round_: Round, now: datetime) -> int:
    """Open the seats whose time ran out and remember who held them; return how many."""
    expired = Assignment.objects.filter(round=round_, state=SeatState.CLAIMED, expires_at__lte=now)
    # Locked rows are being judged or freed by somebody else this very moment.
    found = remember_claims(expired.select_for_update(skip_locked=True), now)
    if not found:
        return 0
    rows = Assignment.objects.filter(pk__in=found, state=SeatState.CLAIMED, expires_at__lte=now)
    return rows.update(state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None)


def remember_claims(claimed: QuerySet[Assignment], now: datetime) -> list[int]:
    """Note who held seats that end without a judgement, and since when; return the seats."""
    held = list(claimed.values_list("pk", "reviewer_id", "claimed_at"))
    ExpiredClaim.objects.bulk_create(
        (
            ExpiredClaim(assignment_id=pk, reviewer_id=who, claimed_at=since, expired_at=now)
            for pk, who, since in held
        ),
        ignore_conflicts=True,
    )
    return [pk for pk, _who, _since in held]


def give_back_seats(reviewer: User, project_slug: str, _now: datetime) -> int:
    """Open every seat that `reviewer` holds in the project, or anywhere; return how many.

    For a person who may no longer work: unlike one whose time ran out they cannot renew them.
    """
    held = Assignment.objects.filter(reviewer=reviewer, state=SeatState.CLAIMED)
    if project_slug:
        held = held.filter(round__in=Round.objects.filter(project__slug=project_slug))
    lock_seats(held)
    return held.update(state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None)


def give_back_seats_ahead(reviewer: User, project_slug: str, now: datetime) -> int:
    """Open the seats that `reviewer` holds in the project but the first; return how many.

    Who held them is remembered, so that what they judged without a connection counts once they
    may work again, if nobody else has taken the seat.
    """
    rounds = Round.objects.filter(project__slug=project_slug)
    held = Assignment.objects.filter(
        round__in=rounds, reviewer=reviewer, state=SeatState.CLAIMED
    ).order_by("claimed_at", "position", "pk")
    lock_seats(held)
    ahead = held.filter(pk__in=list(held.values_list("pk", flat=True))[1:])
    found = remember_claims(ahead.order_by(), now)
    rows = Assignment.objects.filter(pk__in=found, reviewer=reviewer, state=SeatState.CLAIMED)
    return rows.update(state=SeatState.OPEN, reviewer=None, claimed_at=None, expires_at=None)


def lock_seats(seats: QuerySet[Assignment]) -> None:
    """Lock seats by id, so that two who end several at once never wait for each other."""
    list(seats.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))


def held_seat(*, round_: Round, reviewer: User) -> Assignment | None:
    """The first of the seats that `reviewer` holds in the round now."""
    return next(iter(held_seats(round_=round_, reviewer=reviewer)), None)


def held_seats(*, round_: Round, reviewer: User) -> list[Assignment]:
    """The seats that `reviewer` holds in the round now, those taken first first."""
    seats = _held_seats(round_=round_.pk, reviewer=reviewer.pk)
    seats.sort(key=lambda seat: (seat.claimed_at, seat.position, seat.pk))
    for seat in seats:
        seat.round = round_
    return seats


@prepared(round_=int, reviewer=int)
def _held_seats(round_: int, reviewer: int) -> QuerySet[Assignment]:
    """In no order: to have them by time, SQLite reads every seat that the person ever had."""
    return Assignment.objects.filter(round_id=round_, reviewer_id=reviewer, state=SeatState.CLAIMED)


def _held_by(round_: Round, reviewer: User) -> QuerySet[Assignment]:
    return Assignment.objects.filter(round=round_, reviewer=reviewer, state=SeatState.CLAIMED)


def _renewed(round_: Round, reviewer: User, now: datetime) -> list[Assignment]:
    """The held seats; if one has less than half of its time left, all have their whole time again.

    A seat whose time is over may be given to somebody else at this moment; who changes its row
    first has it.
    """
    seats = held_seats(round_=round_, reviewer=reviewer)
    whole = timedelta(minutes=round_.reservation_minutes)
    if all(seat.expires_at and seat.expires_at > now + whole / 2 for seat in seats):
        return seats
    with transaction.atomic():
        lock_seats(_held_by(round_, reviewer))
        _held_by(round_, reviewer).update(expires_at=now + whole)
    return held_seats(round_=round_, reviewer=reviewer)


def _free_slots(held: Sequence[Assignment], items_ahead: int) -> list[int]:
    """The slots in which seats may be added, so that there are one and `items_ahead` more."""
    taken = {seat.slot for seat in held}
    free = [slot for slot in range(items_ahead + 1) if slot not in taken]
    return free[: max(0, items_ahead + 1 - len(held))]


def _room(round_: Round, reviewer: User) -> int | None:
    """How many more seats the cap leaves; None without a cap."""
    if round_.cap_per_person is None:
        return None
    had = Assignment.objects.filter(round=round_, reviewer=reviewer).count()
    return max(0, round_.cap_per_person - had)


def _next_left(
    search: SeatSearch, round_: Round, now: datetime, slot: int | None
) -> Assignment | None:
    """A seat after the one had last, else from the start of the round, with those that ran out."""
    return search.take_next(now, slot=slot) or _any_left(search, round_, now, slot)


def _any_left(
    search: SeatSearch, round_: Round, now: datetime, slot: int | None
) -> Assignment | None:
    free_expired_seats(round_=round_, now=now)
    for _turn in range(TURNS):
        with _savepoint_if_needed():
            taken = search.take_any(now, slot=slot)
        # Nothing taken, yet something to take: others were at those seats at the same moment.
        if taken or not search.finds_any(slot=slot):
            return taken
    return None


def _held_or_left(
    search: SeatSearch, round_: Round, reviewer: User, now: datetime
) -> Assignment | None:
    """The seat held already, else one from the start of the round, with those that ran out."""
    return _still_held(round_, reviewer, now) or _any_left(search, round_, now, None)


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


def search_of_working(
    round_: Round,
    reviewer: User,
    *,
    is_new: bool = True,
    kind: RoundKind = RoundKind.REVIEW,
) -> SeatSearch:
    """The search for a person who may judge in the round now.

    With `is_new` False it is for a seat that they had before, which a paused round gives too.

    Raises RoundNotOpen (OtherKind, RoundPaused), NotMember, ReviewerPaused, LanguageNotRead,
    NotAsked.
    """
    if round_.kind != kind:
        raise OtherKind(kind=RoundKind(round_.kind).label)
    if round_.state == RoundState.OPENING:
        raise RoundOpening(retry_after_seconds=OPENING_SECONDS)
    if round_.state != RoundState.OPEN:
        raise RoundClosed
    member = _membership.first(project=round_.project_id, user=reviewer.pk, round_=round_.pk)
    if member is None:
        raise NotMember
    if member.is_paused:
        raise reviewer_paused(member.pause_message)
    if member.round_paused_at and is_new:
        raise round_paused(member.pause_reason)
    if member.languages and not reads_language(member.languages, round_.project.target_language):
        raise LanguageNotRead
    audience = Audience.from_json(member.audience)
    if not is_asked(audience, user=reviewer.pk, role=member.role, languages=member.languages):
        raise NotAsked
    standing = Standing(member.pk, member.has_expertise, audience.needs_expert)
    return SeatSearch(round_, reviewer, standing)


def _held_in_time(round_: Round, reviewer: User, now: datetime) -> Assignment | None:
    """The seat that `reviewer` holds, unless its time is over."""
    held = held_seat(round_=round_, reviewer=reviewer)
    return held if held and held.expires_at and held.expires_at > now else None


@prepared(project=int, user=int, round_=int)
def _membership(project: int, user: int, round_: int) -> QuerySet[Any]:
    """The member, and as the round is at this moment, whom it asks and whether it is paused."""
    asking = Round.objects.filter(pk=round_)
    expertise = Membership.subjects.through.objects.filter(membership=OuterRef("pk"))
    rows: QuerySet[Any] = Membership.objects.only(
        "role", "is_paused", "pause_message", "languages"
    ).annotate(
        has_expertise=Exists(expertise),
        audience=Subquery(asking.values("audience")),
        round_paused_at=Subquery(asking.values("paused_at")),
        pause_reason=Subquery(asking.values("pause_reason")),
    )
    return rows.filter(project_id=project, user_id=user)


def has_reached_cap(round_: Round, reviewer: User) -> bool:
    """Whether the reviewer has had as many seats of the round as one person gets."""
    if round_.cap_per_person is None:
        return False
    return (
        Assignment.objects.filter(round=round_, reviewer=reviewer).count() >= round_.cap_per_person
    )


def take_again(assignment: Assignment, search: SeatSearch, now: datetime) -> Assignment:
    """Take one certain seat, beside those that its reviewer holds.

    There is one slot more than `reserve_seats` fills. Raises SeatTaken when somebody was quicker
    or it is not for this person any more, TooManyHeld.
    """
    slot = free_slot(assignment.round, search.reviewer)
    try:
        with _savepoint_if_needed():
            taken = search.take_this(assignment, now, slot=slot)
    except IntegrityError as error:
        raise SeatTaken from error
    if taken is None:
        raise SeatTaken
    return taken


def free_slot(round_: Round, reviewer: User) -> int:
    """A slot for a seat that comes back to `reviewer`. Raises TooManyHeld."""
    taken = set(_held_by(round_, reviewer).values_list("slot", flat=True))
    slots = range(round_.project.items_ahead + 2)
    found = next((slot for slot in slots if slot not in taken), None)
    if found is None:
        raise TooManyHeld
    return found


def _savepoint_if_needed() -> AbstractContextManager[None]:
    """Keep an IntegrityError from breaking a transaction around us; one statement alone needs none."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
