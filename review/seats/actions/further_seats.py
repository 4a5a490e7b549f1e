"""Seats beyond the size of a panel, and ending what a dispute waits for."""

from datetime import datetime
from typing import Any

from django.db.models import F, Max, QuerySet

from accounts.models import User
from common.db import sources_of
from review.enums import INQUIRY_TRANSITIONS, InquiryKind, InquiryState, SeatState
from review.models import Assignment, Inquiry, Judgement, Panel, Round
from review.outcomes import Decision, ReasonCode
from review.seats.actions.seats import remember_claims

MOST_SEATS = 9
LEFT_TO_SENIORS = frozenset({ReasonCode.KEY_CHALLENGED, ReasonCode.FLAGGED})


def add_seat(*, panel: Panel, asked_by: User | None, now: datetime) -> Inquiry:
    """Open one more seat of a dispute, offered before most others, and wait for its judgement.

    Raises IntegrityError where the dispute waits already.
    """
    last = Assignment.objects.filter(panel=panel).aggregate(last=Max("seat"))["last"] or 0
    seat = Assignment.objects.create(
        panel=panel, round_id=panel.round_id, position=_position(panel), seat=last + 1
    )
    Round.objects.filter(pk=panel.round_id).update(added_seat_count=F("added_seat_count") + 1)
    return Inquiry.objects.create(
        panel=panel,
        kind=InquiryKind.FURTHER_SEAT,
        seat=seat,
        asked_by=asked_by,
        asked_at=now,
    )


def add_seat_if_uncertain(panel: Panel, decision: Decision, now: datetime) -> None:
    """Give a new dispute a further seat, if its round does and another opinion may help."""
    most = panel.round.uncertain_seats
    if not most or not is_uncertain(decision) or seats_in_force(panel) >= MOST_SEATS:
        return
    rows = Inquiry.objects.filter(panel=panel, kind=InquiryKind.FURTHER_SEAT, asked_by=None)
    if rows.count() < most:
        add_seat(panel=panel, asked_by=None, now=now)


def is_uncertain(decision: Decision) -> bool:
    """Whether a dispute is about nothing but what one more opinion can tell."""
    codes = {reason.code for reason in decision.reasons}
    return decision.outcome == "disputed" and not codes & LEFT_TO_SENIORS


def seats_in_force(panel: Panel) -> int:
    """How many seats the panel has, without those that were closed."""
    return Assignment.objects.filter(panel=panel).exclude(state=SeatState.CLOSED).count()


def answer_seat(judgement: Judgement, now: datetime) -> None:
    """Note that the judgement of a further seat has come."""
    rows = Inquiry.objects.filter(seat=judgement.assignment_id)
    move_inquiry(rows, InquiryState.ANSWERED, answer=judgement, ended_at=now)


def end_inquiry(panel: Panel, to: InquiryState, now: datetime) -> int:
    """End what a dispute waits for, if it waits; its open seat is closed. Return 1 or 0.

    Who holds the seat at this moment loses it, and their time on it stays known.
    """
    rows = Inquiry.objects.filter(panel=panel)
    open_seats = Assignment.objects.filter(
        inquiry__in=rows.filter(state=InquiryState.OPEN),
        state__in=[SeatState.OPEN, SeatState.CLAIMED],
    )
    found = remember_claims(open_seats.filter(state=SeatState.CLAIMED), now)
    found += open_seats.filter(state=SeatState.OPEN).values_list("pk", flat=True)
    ended = move_inquiry(rows, to, ended_at=now)
    if found:
        closed = Assignment.objects.filter(pk__in=found).exclude(state=SeatState.JUDGED)
        closed.update(state=SeatState.CLOSED, reviewer=None, expires_at=None)
        fewer = F("added_seat_count") - 1
        Round.objects.filter(pk=panel.round_id).update(added_seat_count=fewer)
    return ended


def end_inquiries(round_: Round, now: datetime) -> None:
    """End what the disputes of a round wait for; the round that closes closes the seats."""
    rows = Inquiry.objects.filter(panel__round=round_)
    move_inquiry(rows, InquiryState.ENDED, ended_at=now)


def move_inquiry(rows: QuerySet[Inquiry], to: InquiryState, **changes: Any) -> int:
    """Move open inquiries among `rows`; return how many there were."""
    sources = sources_of(to, INQUIRY_TRANSITIONS)
    return rows.filter(state__in=sources).update(state=to, **changes)


def _position(panel: Panel) -> int:
    """Before the seats that nobody has reached yet, so that the dispute need not wait for all."""
    held = Assignment.objects.filter(round=panel.round_id, state=SeatState.CLAIMED)
    furthest = held.aggregate(last=Max("position"))["last"] or 0
    return max(panel.position, furthest + 1)
