"""Taking back one's own judgement, to give another in its place."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import move
from common.errors import DomainError
from common.months import month_of
from projects.locks import lock_project
from review.enums import SEAT_TRANSITIONS, PanelState, SeatState
from review.models import Assignment, Judgement, Panel, Round, StatedJudgement, Withdrawal
from review.outcomes import make_tally, tally_token
from review.seats.actions.seats import free_slot, search_of_working
from review.seats.refusals import SeatTaken


class JudgementDecided(DomainError):
    code = "judgement_decided"
    detail = _(
        "Everybody has judged this item by now, so your judgement counts and cannot be taken "
        "back. Tell a senior if it is wrong."
    )


class JudgementPaid(DomainError):
    code = "judgement_paid"
    detail = _(
        "This judgement is in a closed statement of work, so it cannot be taken back. Tell a "
        "senior if it is wrong."
    )


class UndoTimeOver(DomainError):
    code = "undo_time_over"
    detail = _(
        "You can take a judgement back for %(minutes)s minutes. Tell a senior if it is wrong."
    )


@transaction.atomic
def withdraw_judgement(*, judgement: Judgement, reviewer: User, now: datetime) -> Assignment:
    """Give `reviewer` the seat of their judgement again, as if they had not judged it.

    Possible while the panel lacks judgements and the project's `undo_minutes` are not over. In
    one transaction: a Withdrawal, the mark on the judgement, the panel's tally without it, seat →
    claimed for the reservation time, the round's count. The seat keeps the time of its first claim, so
    it is the first of those held. Doing so again returns the seat while it is held.

    Raises JudgementPaid, JudgementDecided, UndoTimeOver, TooManyHeld, SeatTaken, RoundClosed,
    NotMember, ReviewerPaused, LanguageNotRead.
    """
    round_ = _round_of(judgement)
    search_of_working(round_, reviewer, is_new=False)
    stated = StatedJudgement.objects.filter(judgement=judgement)
    refuse_paid(stated, round_, submitted_at=judgement.submitted_at, now=now)
    # In the order of a judgement, so that the two never wait for each other: panel, seat, round.
    panel = Panel.with_controls.select_for_update(no_key=True).get(pk=judgement.panel_id)
    seat = Assignment.objects.get(pk=judgement.assignment_id)
    seat.round = round_
    if Withdrawal.objects.filter(judgement=judgement).exists():
        if seat.state == SeatState.CLAIMED and seat.reviewer_id == reviewer.pk:
            return seat
        raise SeatTaken
    if panel.state != PanelState.JUDGING:
        raise JudgementDecided
    minutes = round_.project.undo_minutes
    if now - judgement.submitted_at > timedelta(minutes=minutes):
        raise UndoTimeOver(minutes=minutes)
    reopen_seat(seat, reviewer, now)
    Withdrawal.objects.create(judgement=judgement, withdrawn_at=now)
    Judgement.all_rows.filter(pk=judgement.pk).update(is_withdrawn=True)
    left = (
        Judgement.with_controls.filter(panel=panel.pk)
        .order_by("pk")
        .values_list("verdict", "ratings")
    )
    criteria = round_.project.criteria
    tally = make_tally([tally_token(verdict, ratings, criteria) for verdict, ratings in left])
    Panel.with_controls.filter(pk=panel.pk).update(tally=tally)
    count = "control_judged_count" if panel.is_control else "judged_count"
    Round.objects.filter(pk=round_.pk).update(**{count: F(count) - 1})
    round_.refresh_from_db(fields=[count])
    seat.refresh_from_db(fields=["state", "slot", "expires_at"])
    return seat


def refuse_paid(
    stated: QuerySet[Any], round_: Round, *, submitted_at: datetime, now: datetime
) -> None:
    """Refuse what a closed statement counts, as `stated` tells. Raises JudgementPaid.

    Of a month that is over the statement may be closed at this moment, so the lock of
    `close_statement` comes first: what it counts and what is taken back have no row in common.
    """
    if month_of(submitted_at).end <= now:
        lock_project(round_.project_id)
    if stated.exists():
        raise JudgementPaid


def _round_of(judgement: Judgement) -> Round:
    rows = Round.objects.select_related("project")
    return rows.get(panels=judgement.panel_id)


def reopen_seat(seat: Assignment, reviewer: User, now: datetime) -> None:
    """Give a seat back to the person who used it. Raises SeatTaken, TooManyHeld."""
    round_ = seat.round
    try:
        with transaction.atomic():
            move(
                Assignment.objects.filter(pk=seat.pk, reviewer=reviewer),
                to=SeatState.CLAIMED,
                transitions={SeatState.JUDGED: SEAT_TRANSITIONS[SeatState.JUDGED]},
                refusal=SeatTaken,
                slot=free_slot(round_, reviewer),
                expires_at=now + timedelta(minutes=round_.reservation_minutes),
            )
    except IntegrityError as error:  # another window took the slot at this moment
        raise SeatTaken from error
