"""Taking a judgement back: until when, what it leaves behind, and what each refusal says."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from common.errors import DomainError
from common.months import month_of
from projects.models import Project
from review.enums import PanelState, SeatState
from review.models import Assignment, Judgement, Panel, Round, Withdrawal
from review.people.actions import close_statement
from review.report.queries import round_figures
from review.rounds.actions.rounds import close_round
from review.rounds.actions.running import pause_round
from review.seats.actions.seats import claim_seat, held_seats, reserve_seats
from review.seats.refusals import ReviewerPaused, RoundClosed, TooManyHeld
from review.workbench.actions.judgements import submit_judgement
from review.workbench.actions.withdrawals import (
    JudgementDecided,
    JudgementPaid,
    UndoTimeOver,
    withdraw_judgement,
)
from review.workbench.queries import told_judgements
from tests.review.conftest import content

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Api = Callable[[User], APIClient]


def again(seat: Assignment, user: User, key: str = "again", **said: Any) -> Judgement:
    return submit_judgement(
        assignment=seat,
        reviewer=user,
        revision_id=seat.panel.revision_id,
        content=content(**said),
        idempotency_key=key,
        now=timezone.now(),
    )


def withdraw(judgement: Judgement, now: datetime | None = None) -> Assignment:
    return withdraw_judgement(
        judgement=judgement, reviewer=judgement.reviewer, now=now or timezone.now()
    )


def test_withdrawn_judgement_stays_and_its_seat_is_held_again(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(2, reservation_minutes=20)
    (user,) = reviewers(1)
    judgement = judge(round_, user, verdict="reject")
    now = timezone.now()

    seat = withdraw(judgement, now)

    stored = Judgement.all_rows.get()
    assert (stored.pk, stored.verdict, stored.is_withdrawn) == (judgement.pk, "reject", True)
    assert Withdrawal.objects.get().judgement_id == judgement.pk
    assert not Judgement.objects.exists()
    assert (seat.state, seat.reviewer, seat.expires_at) == (
        SeatState.CLAIMED,
        user,
        now + timedelta(minutes=20),
    )
    panel = Panel.objects.get(pk=judgement.panel_id)
    assert (panel.state, panel.tally) == (PanelState.JUDGING, "")
    assert Round.objects.get().judged_count == 0


def test_item_is_judged_once_more_and_only_the_second_judgement_counts(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    seat = withdraw(judge(round_, first, verdict="reject"))

    again(seat, first)
    judge(round_, second)

    panel = Panel.objects.get()
    assert (panel.state, panel.outcome) == (PanelState.SETTLED, "approved")
    assert Round.objects.get().judged_count == 2
    assert sorted(panel.judgements.values_list("verdict", flat=True)) == ["approve", "approve"]
    assert told_judgements(round_.project).count() == 2
    close_round(round_=round_, actor=None, now=timezone.now())
    assert round_figures(Round.objects.get()).items_judged == 1


def test_tally_keeps_what_the_others_said(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1, panel_size=3)
    first, second = reviewers(2)
    judge(round_, first, verdict="reject")
    before = Panel.objects.get().tally

    withdraw(judge(round_, second))

    assert Panel.objects.get().tally == before


def test_seat_that_came_back_is_the_first_of_those_held(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(9)
    (user,) = reviewers(1)
    judgement = judge(round_, user)
    held = reserve_seats(round_=round_, reviewer=user, now=timezone.now())

    seat = withdraw(judgement)

    assert held_seats(round_=round_, reviewer=user) == [seat, *held]


def test_withdrawing_again_changes_nothing(opened: Open, reviewers: People, judge: Judge) -> None:
    (user,) = reviewers(1)
    judgement = judge(opened(1), user)

    assert withdraw(judgement).pk == withdraw(judgement).pk
    assert Withdrawal.objects.count() == 1
    assert Round.objects.get().judged_count == 0


def test_judgement_sent_again_after_its_withdrawal_is_not_stored_anew(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    (user,) = reviewers(1)
    judgement = judge(opened(1), user, key="late")
    seat = withdraw(judgement)

    assert again(seat, user, key="late") == judgement
    assert not Judgement.objects.exists()
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED


def test_decided_panel_is_not_reopened(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    judgement = judge(round_, first)
    judge(round_, second)

    with pytest.raises(JudgementDecided):
        withdraw(judgement)
    assert Panel.objects.get().outcome == "approved"


@pytest.mark.parametrize("minutes", [0, 10, 60])
def test_judgement_can_be_taken_back_as_long_as_the_project_says(
    project: Project, opened: Open, reviewers: People, judge: Judge, minutes: int
) -> None:
    Project.objects.update(undo_minutes=minutes)
    project.refresh_from_db()
    judgement = judge(opened(1), reviewers(1)[0])
    end = judgement.submitted_at + timedelta(minutes=minutes)

    with pytest.raises(UndoTimeOver) as refused:
        withdraw(judgement, end + timedelta(seconds=1))
    assert f"{minutes} minutes" in str(refused.value)
    assert withdraw(judgement, end).state == SeatState.CLAIMED


def test_withdrawal_is_refused_in_a_closed_round_and_to_paused_people(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    judgement = judge(round_, user)
    user.memberships.update(is_paused=True)
    with pytest.raises(ReviewerPaused):
        withdraw(judgement)
    user.memberships.update(is_paused=False)
    close_round(round_=round_, actor=None, now=timezone.now())
    with pytest.raises(RoundClosed):
        withdraw(judgement)
    assert not Withdrawal.objects.exists()


def test_judgement_is_taken_back_while_the_round_is_paused(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    judgement = judge(round_, reviewers(1)[0])
    pause_round(round_=round_, reason="", actor=None, now=timezone.now())

    assert withdraw(judgement).state == SeatState.CLAIMED


def test_judgement_in_a_closed_statement_is_not_taken_back(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    judgement = judge(round_, reviewers(1)[0])
    month = month_of(judgement.submitted_at)
    close_statement(project=round_.project, month=month, actor=None, now=month.end)

    with pytest.raises(JudgementPaid):
        withdraw(judgement)
    assert Judgement.objects.get() == judgement


def test_api_withdraws_within_the_time_and_says_when_it_is_too_late(
    opened: Open, reviewers: People, judge: Judge, api_of: Api
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    judgement = judge(round_, first)
    path = f"/api/v1/judgements/{judgement.pk}/withdraw/"

    taken = api_of(first).post(path)
    assert (taken.status_code, taken.json()["assignment"]) == (200, judgement.assignment_id)
    assert api_of(second).post(path).status_code == 404
    Assignment.objects.filter(pk=judgement.assignment_id).update(
        state=SeatState.OPEN, reviewer=None, expires_at=None
    )
    late = api_of(first).post(path)
    assert (late.status_code, late.json()["code"]) == (409, "seat_taken")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(5))
def test_withdrawal_and_the_last_judgement_at_once_leave_one_of_two_whole_states(
    opened: Open, reviewers: People, judge: Judge, turn: int
) -> None:
    """Either the panel is complete and the withdrawal refused, or it lacks the one taken back."""
    round_ = opened(1)
    first, second = reviewers(2)
    judgement = judge(round_, first)
    other = claim_seat(round_=round_, reviewer=second, now=timezone.now())
    assert other is not None
    barrier, refusals = threading.Barrier(2), []

    def act(run: Callable[[], object]) -> None:
        barrier.wait()
        try:
            run()
        except DomainError as error:
            refusals.append(type(error))
        finally:
            connection.close()

    acts = (lambda: withdraw(judgement), lambda: again(other, second))
    threads = [threading.Thread(target=act, args=(each,)) for each in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    panel = Panel.objects.get()
    left = panel.judgements.count()
    expected = {2: (PanelState.SETTLED, [JudgementDecided]), 1: (PanelState.JUDGING, [])}
    assert (panel.state, refusals) == expected[left]
    assert len(panel.tally.split()) == left == Round.objects.get().judged_count


def test_judgement_beyond_the_slots_is_not_taken_back(
    opened: Open, reviewers: People, judge: Judge, project: Project
) -> None:
    Project.objects.update(items_ahead=0)
    project.refresh_from_db()
    round_ = opened(5)
    (user,) = reviewers(1)
    first, second = judge(round_, user), judge(round_, user)
    reserve_seats(round_=round_, reviewer=user, now=timezone.now())
    withdraw(second)

    with pytest.raises(TooManyHeld):
        withdraw(first)
