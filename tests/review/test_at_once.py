"""Two actions at once: nobody waits in a circle, and nothing is written after a close."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.actions import deactivate_account
from accounts.models import User
from common.errors import DomainError
from jobs.actions import JobNotCancellable, cancel_job
from jobs.enums import JobState
from jobs.models import Job
from projects.actions import pause_member, remove_member
from projects.enums import Role
from projects.models import Membership, Project
from review.answers.actions import withdraw_answer
from review.comments.actions import add_comment
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.inquiries import (
    InquiryRoundClosed,
    ask_further_judgement,
    ask_second_look,
    take_back_inquiry,
)
from review.disputes.actions.key_disputes import settle_key_dispute
from review.disputes.actions.reopening import DecisionInUse, reopen_dispute
from review.enums import InquiryState, PanelState, RoundKind, SeatState, Selection, SkipReason
from review.models import Answer, Assignment, Comment, Inquiry, Judgement, Panel, Round
from review.report.actions.reliability import ReliabilityRunning, start_reliability
from review.rounds.actions import rounds
from review.rounds.actions.opening import DisputeReopened, NothingToReview
from review.rounds.actions.rounds import RoundAlreadyOpen, discard_round, open_round
from review.rounds.actions.running import RoundChanges, change_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat, reserve_seats, skip_seat
from review.seats.refusals import RoundClosed, SeatLost
from review.workbench.actions.judgements import submit_judgement
from review.workbench.actions.reveals import reveal_source
from review.workbench.actions.suggestions import keep_suggestion
from tests.factories import UserFactory
from tests.races import Person, interleave, until
from tests.review.conftest import content
from tests.review.kinds import close, solve

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
]
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Dispute = Callable[..., Panel]

ENDING_SEATS = 'UPDATE "review_assignment"'


def discard(round_: Round) -> None:
    discard_round(round_=Round.objects.get(pk=round_.pk), actor=None, now=timezone.now())


def submit(seat: Assignment, user: User, **said: Any) -> Judgement:
    return submit_judgement(
        assignment=seat,
        reviewer=user,
        revision_id=seat.panel.revision_id,
        content=content(**said),
        idempotency_key=uuid.uuid4().hex,
        now=timezone.now(),
    )


def skip(seat: Assignment, user: User) -> None:
    skip_seat(
        assignment=seat,
        reviewer=user,
        reason=SkipReason.NOT_MY_FIELD,
        note="",
        now=timezone.now(),
    )


def claim(round_: Round, user: User) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    return seat


def further(panel: Panel, senior: User) -> Inquiry:
    return ask_further_judgement(panel=panel, actor=senior, now=timezone.now())


def live_seats() -> int:
    return Assignment.objects.filter(state__in=[SeatState.OPEN, SeatState.CLAIMED]).count()


def let_expire() -> None:
    past = timezone.now() - timedelta(seconds=1)
    Assignment.objects.filter(state=SeatState.CLAIMED).update(
        expires_at=past, claimed_at=past - timedelta(minutes=30)
    )


def test_dispute_that_waits_is_settled_while_its_round_closes(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    further(panel, senior)
    settle = DecisionContent(kind="approve", reason="It is right.")

    faults = interleave(
        lambda: adjudicate_panel(panel=panel, senior=senior, content=settle, now=timezone.now()),
        lambda: close(panel.round),
        behind='UPDATE "review_inquiry"',
    )

    assert faults == (None, None)
    assert live_seats() == 0
    assert Inquiry.objects.get().state == InquiryState.ENDED
    assert Round.objects.get().added_seat_count == 0


def test_request_is_taken_back_while_its_round_closes(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    further(panel, senior)

    faults = interleave(
        lambda: take_back_inquiry(panel=panel, actor=senior, now=timezone.now()),
        lambda: close(panel.round),
        behind='UPDATE "review_inquiry"',
    )

    assert faults == (None, None)
    assert live_seats() == 0


def test_seat_that_is_added_while_the_round_closes_is_closed_with_it(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    faults = interleave(
        lambda: further(panel, senior),
        lambda: close(panel.round),
        behind='INSERT INTO "review_assignment"',
    )

    assert faults == (None, None)
    assert live_seats() == 0
    assert Inquiry.objects.get().state == InquiryState.ENDED


def test_nobody_is_asked_for_more_once_the_round_closes(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    closed, asked = interleave(
        lambda: close(panel.round),
        lambda: further(panel, senior),
        behind='UPDATE "review_inquiry"',
    )

    assert closed is None
    assert isinstance(asked, InquiryRoundClosed)
    assert live_seats() == 0


def test_answer_is_not_taken_back_once_its_round_closes(opened: Open, reviewers: People) -> None:
    round_ = opened(1, kind=RoundKind.SOLVING)
    (user,) = reviewers(1)
    answer = solve(round_, user, "A")

    closed, taken_back = interleave(
        lambda: close(round_),
        lambda: withdraw_answer(answer=answer, reviewer=user, now=timezone.now()),
        behind='UPDATE "review_panel"',
    )

    assert closed is None
    assert isinstance(taken_back, RoundClosed)
    assert live_seats() == 0
    assert Answer.objects.count() == Round.objects.get().answered_count == 1


def test_answer_is_taken_back_or_stays_while_a_round_closes_in_a_new_month(
    opened: Open, reviewers: People
) -> None:
    """What was given last month is held against the statement of work first."""
    round_ = opened(1, kind=RoundKind.SOLVING)
    (user,) = reviewers(1)
    answer = solve(round_, user, "A")
    Answer.objects.update(submitted_at=timezone.now() - timedelta(days=40))
    Project.objects.update(undo_minutes=120)
    answer.refresh_from_db()

    closed, taken_back = interleave(
        lambda: close(round_),
        lambda: withdraw_answer(answer=answer, reviewer=user, now=timezone.now()),
        behind='UPDATE "review_panel"',
    )

    assert closed is None
    assert isinstance(taken_back, RoundClosed)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (remove_member, RoundKind.REVIEW),
        (remove_member, RoundKind.SOLVING),
        (pause_member, RoundKind.REVIEW),
    ],
)
def test_member_goes_while_their_round_closes(
    opened: Open, member: Member, kind: RoundKind, change: Callable[..., Any]
) -> None:
    round_ = opened(3, kind=kind)
    user = member()
    member(Role.MANAGER)
    claim_seat(round_=round_, reviewer=user, now=timezone.now(), kind=kind)
    if kind == RoundKind.REVIEW:
        reserve_seats(round_=round_, reviewer=user, now=timezone.now())
    membership = Membership.objects.get(user=user)

    faults = interleave(
        lambda: close(round_),
        lambda: change(membership=membership, actor=None, now=timezone.now()),
        behind=ENDING_SEATS,
    )

    assert faults == (None, None)
    assert live_seats() == 0


@pytest.mark.parametrize("change", [remove_member, pause_member])
def test_member_goes_while_their_round_is_discarded(
    opened: Open, member: Member, change: Callable[..., Any]
) -> None:
    round_ = opened(3)
    user = member()
    member(Role.MANAGER)
    reserve_seats(round_=round_, reviewer=user, now=timezone.now())
    membership = Membership.objects.get(user=user)

    faults = interleave(
        lambda: discard(round_),
        lambda: change(membership=membership, actor=None, now=timezone.now()),
        behind='DELETE FROM "review_assignment"',
    )

    assert faults == (None, None)
    assert not Round.objects.exists()


def test_member_is_paused_before_their_round_is_discarded(opened: Open, member: Member) -> None:
    round_ = opened(3)
    user = member()
    member(Role.MANAGER)
    reserve_seats(round_=round_, reviewer=user, now=timezone.now())
    membership = Membership.objects.get(user=user)

    faults = interleave(
        lambda: pause_member(membership=membership, actor=None, now=timezone.now()),
        lambda: discard(round_),
        behind='INSERT INTO "review_expiredclaim"',
    )

    assert faults == (None, None)
    assert not Round.objects.exists()


def test_account_is_deactivated_while_an_administrator_closes_the_round(
    opened: Open, member: Member
) -> None:
    round_ = opened(1)
    user = member()
    claim(round_, user)
    administrator, other = UserFactory(is_superuser=True), UserFactory(is_superuser=True)

    faults = interleave(
        lambda: close(round_, administrator),
        lambda: deactivate_account(user=user, actor=other, now=timezone.now()),
        behind=ENDING_SEATS,
    )

    assert faults == (None, None)
    assert live_seats() == 0


def test_seat_that_is_skipped_and_judged_in_two_windows_is_one_of_both(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1)
    (user,) = reviewers(1)
    seat = claim(round_, user)

    skipped, judged = interleave(
        lambda: skip(seat, user), lambda: submit(seat, user), behind='UPDATE "review_assignment"'
    )

    assert skipped is None
    assert isinstance(judged, DomainError)
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("change", ["close", "remove", "renew", "discard"])
def test_seats_are_locked_by_id_so_that_two_never_wait_in_a_circle(
    opened: Open, member: Member, change: str
) -> None:
    round_ = opened(6, reservation_minutes=30)
    user = member()
    member(Role.MANAGER)
    seats = reserve_seats(round_=round_, reviewer=user, now=timezone.now())
    soon = timezone.now() + timedelta(minutes=5)
    for seat in seats[:-1]:  # the last one stands first in the table then
        Assignment.objects.filter(pk=seat.pk).update(expires_at=soon)
    membership = Membership.objects.get(user=user)
    acts: dict[str, Callable[[], Any]] = {
        "close": lambda: close(round_),
        "remove": lambda: remove_member(membership=membership, actor=None, now=timezone.now()),
        "renew": lambda: reserve_seats(round_=round_, reviewer=user, now=timezone.now()),
        "discard": lambda: discard(round_),
    }
    other = Person(acts[change])

    with transaction.atomic():
        first, *rest = sorted(seat.pk for seat in seats)
        list(Assignment.objects.select_for_update(no_key=True).filter(pk=first))
        other.start()
        until(lambda: other.waits() or not other.is_alive())
        # Raises where the other one has a later seat already while it waits for the first.
        locked = Assignment.objects.select_for_update(no_key=True, nowait=True)
        assert len(locked.filter(pk__in=rest)) == len(rest)
    other.join(60)

    assert other.fault is None


def test_seat_whose_time_is_over_is_freed_while_the_round_is_discarded(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1)
    gone, user = reviewers(2)
    claim(round_, gone)
    let_expire()

    claimed, discarded = interleave(
        lambda: claim(round_, user),
        lambda: discard(round_),
        behind='INSERT INTO "review_expiredclaim"',
    )

    assert (claimed is None or isinstance(claimed, AssertionError), discarded) == (True, None)
    assert not Round.objects.exists()
    connection.check_constraints()


def test_source_is_shown_before_the_round_is_discarded(opened: Open, reviewers: People) -> None:
    round_ = opened(1, has_blind_reading=True)
    (user,) = reviewers(1)
    seat = claim(round_, user)

    faults = interleave(
        lambda: reveal_source(assignment=seat, reviewer=user, now=timezone.now()),
        lambda: discard(round_),
        behind='INSERT INTO "review_reveal"',
    )

    assert faults == (None, None)
    assert not Round.objects.exists()


def test_source_is_not_shown_once_the_round_is_discarded(opened: Open, reviewers: People) -> None:
    round_ = opened(1, has_blind_reading=True)
    (user,) = reviewers(1)
    seat = claim(round_, user)

    discarded, shown = interleave(
        lambda: discard(round_),
        lambda: reveal_source(assignment=seat, reviewer=user, now=timezone.now()),
        behind='DELETE FROM "review_assignment"',
    )

    assert discarded is None
    assert isinstance(shown, SeatLost)


def suggest(seat: Assignment, user: User) -> None:
    keep_suggestion(
        assignment=seat,
        reviewer=user,
        verdict="approve",
        correction=None,
        comment="It is right.",
        reason="",
        idempotency_key="one",
        now=timezone.now(),
    )


def test_suggestion_keeps_its_round_from_being_discarded(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = claim(round_, user)

    kept, discarded = interleave(
        lambda: suggest(seat, user),
        lambda: discard(round_),
        behind='INSERT INTO "review_suggestion"',
    )

    assert kept is None
    assert getattr(discarded, "code", "") == "round_has_judgements"


def test_suggestion_for_a_round_that_is_discarded_is_refused_in_words(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = claim(round_, user)

    discarded, kept = interleave(
        lambda: discard(round_), lambda: suggest(seat, user), behind='DELETE FROM "review_panel"'
    )

    assert discarded is None
    assert isinstance(kept, RoundClosed)


def comment(panel: Panel, author: User) -> None:
    add_comment(
        item=panel.item, thread=None, text="Is this right?", idempotency_key="one", actor=author,
        now=timezone.now(),
    )  # fmt: skip


def test_comment_is_stored_while_its_round_is_discarded(opened: Open, member: Member) -> None:
    round_ = opened(1)
    panel = round_.panels.get()

    faults = interleave(
        lambda: discard(round_), lambda: comment(panel, member()), behind='UPDATE "review_comment"'
    )

    assert faults == (None, None)
    assert Comment.objects.get().panel_id is None


def test_round_is_discarded_while_a_comment_comes_in(opened: Open, member: Member) -> None:
    round_ = opened(1)
    panel = round_.panels.get()

    faults = interleave(
        lambda: comment(panel, member()),
        lambda: discard(round_),
        behind='INSERT INTO "review_comment"',
    )

    assert faults == (None, None)
    assert Comment.objects.get().panel_id is None
    assert not Panel.objects.exists()


def test_settled_twice_with_one_key_is_settled_once_and_said_twice(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    made: list[int] = []

    def settle() -> None:
        content_ = DecisionContent(kind="reject", reason="No.")
        made.append(
            adjudicate_panel(
                panel=Panel.objects.get(pk=panel.pk),
                senior=senior,
                content=content_,
                now=timezone.now(),
                idempotency_key="one",
            ).pk
        )

    faults = interleave(settle, settle, behind='UPDATE "review_panel"')

    assert faults == (None, None)
    assert len(made) == 2
    assert len(set(made)) == 1
    assert Panel.objects.get(pk=panel.pk).state == PanelState.SETTLED


def test_member_who_is_removed_at_this_moment_is_not_asked_again(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    member(Role.MANAGER)
    judgement = panel.judgements.order_by("pk")[0]
    membership = Membership.objects.get(user=judgement.reviewer)

    asked, removed = interleave(
        lambda: ask_second_look(
            panel=panel, judgement=judgement, note="Look.", actor=senior, now=timezone.now()
        ),
        lambda: remove_member(membership=membership, actor=None, now=timezone.now()),
        behind='INSERT INTO "review_inquiry"',
    )

    assert (asked, removed) == (None, None)
    assert Inquiry.objects.get().state == InquiryState.ENDED


def test_solving_round_is_changed_while_it_closes(opened: Open) -> None:
    round_ = opened(1, kind=RoundKind.SOLVING)

    changed, closed = interleave(
        lambda: change_round(
            round_=round_, changes=RoundChanges.of(round_), actor=None, now=timezone.now()
        ),
        lambda: close(round_),
        behind='UPDATE "review_round"',
    )

    assert (changed, closed) == (None, None)
    assert Project.objects.get().solving_audience is None


def test_key_is_ruled_on_while_its_round_is_closed_again(opened: Open, member: Member) -> None:
    """As when somebody presses the button twice: the second close finds the dispute locked."""
    round_ = opened(1, kind=RoundKind.SOLVING, panel_size=1)
    solve(round_, member(), "B")
    close(round_)
    panel, senior = Panel.objects.get(), member(Role.SENIOR)

    ruled, closed = interleave(
        lambda: settle_key_dispute(
            panel=panel, senior=senior, key="B", seen_key="A", reason="B.", now=timezone.now()
        ),
        lambda: close(Round.objects.get()),
        behind='UPDATE "review_panel"',
    )

    assert ruled is None
    assert getattr(closed, "code", "") == "round_not_open"


def test_opening_is_discarded_while_its_job_is_cancelled(
    project: Project, items: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "OPENED_AT_ONCE", 1)
    items(2)
    round_ = open_round(
        project=project,
        settings=RoundSettings(selection=Selection.ALL),
        actor=None,
        now=timezone.now(),
        is_in_background=True,
    )
    assert round_.job is not None
    job = round_.job

    discarded, cancelled = interleave(
        lambda: discard(round_),
        lambda: cancel_job(job=job, actor=None, now=timezone.now()),
        behind='UPDATE "projects_project"',
    )

    assert discarded is None
    assert isinstance(cancelled, JobNotCancellable)
    assert not Round.objects.exists()
    assert Job.objects.get().state == JobState.CANCELLED


def test_first_round_that_is_opened_twice_at_once_is_open_already_for_the_second(
    project: Project, items: Callable[[int], None]
) -> None:
    items(2)

    first, second = interleave(
        lambda: open_all(project),
        lambda: open_all(project),
        behind='INSERT INTO "review_guideline"',
    )

    assert first is None
    assert isinstance(second, RoundAlreadyOpen)
    assert Round.objects.count() == 1


def open_all(project: Project) -> None:
    settings = RoundSettings(selection=Selection.ALL)
    open_round(project=project, settings=settings, actor=None, now=timezone.now())


def settled_by(senior: User, panel: Panel) -> Panel:
    settle = DecisionContent(kind="reject", reason="No.")
    adjudicate_panel(panel=panel, senior=senior, content=settle, now=timezone.now())
    return Panel.objects.get(pk=panel.pk)


@pytest.mark.parametrize(
    ("at_once", "behind", "refusal"),
    [
        (1, 'FROM "annotation_item"', NothingToReview),  # it has counted its items
        (0, '"annotation_item"."split"', DisputeReopened),  # it has read them, and fills in batches
    ],
)
def test_dispute_is_reopened_while_the_next_round_opens(
    disputed: Dispute, member: Member, project: Project, monkeypatch: pytest.MonkeyPatch,
    at_once: int, behind: str, refusal: type[DomainError],
) -> None:  # fmt: skip
    """Its item is with the senior or in the next round, and never in both."""
    monkeypatch.setattr(rounds, "OPENED_AT_ONCE", at_once)
    senior = member(Role.SENIOR)
    panel = settled_by(senior, disputed())
    close(panel.round)

    opened_, reopened = interleave(
        lambda: open_all(project),
        lambda: reopen_dispute(panel=panel, senior=senior, reason="Yes.", now=timezone.now()),
        behind=behind,
    )

    assert reopened is None
    assert isinstance(opened_, refusal)
    assert Round.objects.count() == 1


def test_dispute_whose_item_is_just_taken_into_a_round_stays_settled(
    disputed: Dispute, member: Member, project: Project
) -> None:
    senior = member(Role.SENIOR)
    panel = settled_by(senior, disputed())
    close(panel.round)

    opened_, reopened = interleave(
        lambda: open_all(project),
        lambda: reopen_dispute(panel=panel, senior=senior, reason="Yes.", now=timezone.now()),
        behind='INSERT INTO "review_round"',
    )

    assert opened_ is None
    assert isinstance(reopened, DecisionInUse)
    assert Panel.objects.get(pk=panel.pk).state == PanelState.SETTLED


def test_estimate_that_is_started_twice_at_once_is_made_once(project: Project) -> None:
    def begin() -> None:
        start_reliability(project=project, actor=None, now=timezone.now())

    first, second = interleave(begin, begin, behind='INSERT INTO "jobs_job"')

    assert first is None
    assert isinstance(second, ReliabilityRunning)
    assert Job.objects.count() == 1
