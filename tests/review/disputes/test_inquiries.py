"""Second looks and further seats: who may ask and answer, what becomes of the dispute, each refusal."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import AuditEvent, User
from common.months import month_of
from projects.enums import Role
from projects.models import Membership
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.inquiries import (
    answer_second_look,
    ask_further_judgement,
    ask_second_look,
    end_second_looks,
    take_back_inquiry,
)
from review.disputes.queue import QueueFilter, queue_counts, queue_of
from review.enums import InquiryState, PanelState, SeatState
from review.figures.stages import brief_figures
from review.models import Assignment, Inquiry, Judgement, Panel, Round
from review.outcomes import Correction, first_tally, later_tally, make_tally, tally_token, tokens_of
from review.people.statements import statement_of, unstated
from review.people.work import WorkFilter, months_of_work
from review.report.tallies import grouped, input_of
from review.rounds.actions.rounds import close_round
from review.rounds.queries import round_progress
from review.seats.actions.seats import claim_seat
from review.seats.waiting import can_take_item, disputes_waiting
from review.workbench.actions.judgements import submit_judgement
from tests.review.conftest import OPTIONS, content
from tests.review.kinds import refusal

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Dispute = Callable[..., Panel]
Member = Callable[..., User]
Judge = Callable[..., Judgement]
Open = Callable[..., Round]


def ask(panel: Panel, senior: User, verdict: str = "reject", note: str = "Read line 2.") -> Inquiry:
    return ask_second_look(
        panel=panel,
        judgement=panel.judgements.get(verdict=verdict),
        note=note,
        actor=senior,
        now=timezone.now(),
    )


def answer(inquiry: Inquiry, **said: Any) -> Judgement:
    assert inquiry.judgement is not None
    return answer_second_look(
        inquiry=inquiry,
        reviewer=said.pop("reviewer", inquiry.judgement.reviewer),
        revision_id=said.pop("revision", inquiry.panel.revision_id),
        idempotency_key=said.pop("key", uuid.uuid4().hex),
        content=content(**said),
        now=timezone.now(),
    )


def further(panel: Panel, senior: User) -> Inquiry:
    return ask_further_judgement(panel=panel, actor=senior, now=timezone.now())


def take_back(panel: Panel, senior: User) -> Inquiry:
    return take_back_inquiry(panel=panel, actor=senior, now=timezone.now())


def approve(panel: Panel, senior: User) -> None:
    content_ = DecisionContent(kind="approve", reason="it is right")
    adjudicate_panel(panel=panel, senior=senior, content=content_, now=timezone.now())


def waiting(panel: Panel, senior: User, wanted: QueueFilter = QueueFilter()) -> bool:  # noqa: B008
    rows = queue_of(panel.round.project, senior, wanted, now=timezone.now())
    return panel not in rows


def recomputed(panel: Panel) -> str:
    said = [tally_token(j.verdict, j.ratings) for j in panel.judgements.all()]
    looks = Inquiry.objects.filter(panel=panel, answer__isnull=False)
    later = {look.answer_id for look in looks}
    rows = Judgement.all_rows.filter(panel=panel)
    first = [row for row in rows if row.pk not in later]
    tokens = [tally_token(row.verdict, row.ratings) for row in first]
    return later_tally(make_tally(tokens), said) if later else make_tally(said)


def test_second_look_takes_the_dispute_out_of_the_queue(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    ask(panel, senior)

    assert waiting(panel, senior)
    assert not waiting(panel, senior, QueueFilter(waiting="yes"))
    assert queue_counts(panel.round.project, senior).total == 0
    assert disputes_waiting(senior, [panel.round.project]) == {}
    assert Panel.objects.get().state == PanelState.DISPUTED
    assert AuditEvent.objects.get(verb="panel.second-look-asked").actor == senior


def test_answer_replaces_the_first_judgement_and_decides_anew(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    inquiry = ask(panel, senior)
    first = inquiry.judgement
    assert first is not None

    made = answer(inquiry, correction=Correction("འདྲི་བ་གསར་པ།", OPTIONS))

    panel.refresh_from_db()
    assert (panel.state, panel.outcome, panel.reasons, panel.reason_codes) == (
        PanelState.SETTLED,
        "revised",
        [],
        "",
    )
    assert panel.tally == "E44 E44 < E44 R44" == recomputed(panel)
    assert set(Judgement.all_rows.values_list("pk", "is_withdrawn")) == {
        (first.pk, True),
        (made.pk, False),
        (panel.judgements.exclude(pk=made.pk).get().pk, False),
    }
    inquiry.refresh_from_db()
    assert (inquiry.state, inquiry.answer, inquiry.judgement) == ("answered", made, first)
    assert Round.objects.get().judged_count == 2


def test_answer_that_still_differs_comes_back_to_the_senior(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    answer(ask(panel, senior), correction=Correction("གཞན།", OPTIONS))

    panel.refresh_from_db()
    assert panel.state == PanelState.DISPUTED
    assert [reason["code"] for reason in panel.reasons] == ["different_corrections"]
    assert not waiting(panel, senior)


def test_judgement_can_be_asked_about_twice_and_the_chain_is_a_line(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    first = ask(panel, senior)
    answer(first, correction=Correction("གཞན།", OPTIONS))
    panel.refresh_from_db()
    answered = panel.judgements.order_by("-pk")[0]

    second = ask_second_look(
        panel=panel, judgement=answered, note="Again.", actor=senior, now=timezone.now()
    )
    answer(second, verdict="reject")

    panel.refresh_from_db()
    assert panel.tally == "E44 R44 < E44 R44"
    assert Judgement.all_rows.count() == 4
    with pytest.raises(IntegrityError), transaction.atomic():
        Inquiry.objects.filter(pk=second.pk).update(judgement=first.judgement)


def test_same_key_gives_the_answer_that_was_stored(disputed: Dispute, member: Member) -> None:
    panel = disputed()
    inquiry = ask(panel, member(Role.SENIOR))
    made = answer(inquiry, key="k", correction=Correction("གཞན།", OPTIONS))

    again = answer(inquiry, key="k", verdict="reject")

    assert again == made
    assert Judgement.all_rows.count() == 3


def test_key_of_another_judgement_is_refused(disputed: Dispute, member: Member) -> None:
    panel = disputed()
    inquiry = ask(panel, member(Role.SENIOR))
    assert inquiry.judgement is not None

    key = inquiry.judgement.idempotency_key
    assert refusal(lambda: answer(inquiry, key=key)).code == "idempotency_key_reused"


def test_second_answer_is_refused(disputed: Dispute, member: Member) -> None:
    inquiry = ask(disputed(), member(Role.SENIOR))
    answer(inquiry, verdict="reject")

    assert refusal(lambda: answer(inquiry, verdict="reject")).code == "inquiry_over"


def test_somebody_else_cannot_answer(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    other = panel.judgements.get(verdict="revise").reviewer

    inquiry = ask(panel, senior)

    assert refusal(lambda: answer(inquiry, reviewer=other)).code == "inquiry_of_another"


@pytest.mark.parametrize("said", [{"verdict": "revise"}, {"domain": 9}, {"tags": ["nonsense"]}])
def test_incomplete_answer_changes_nothing(
    disputed: Dispute, member: Member, said: dict[str, Any]
) -> None:
    panel = disputed()
    inquiry = ask(panel, member(Role.SENIOR))
    before = Panel.objects.values().get()

    assert refusal(lambda: answer(inquiry, **said)).code == "judgement_invalid"

    assert Panel.objects.values().get() == before
    assert Judgement.objects.count() == 2


def test_answer_about_another_text_is_refused(disputed: Dispute, member: Member) -> None:
    inquiry = ask(disputed(), member(Role.SENIOR))

    assert refusal(lambda: answer(inquiry, revision=10**9)).code == "revision_stale"


def test_one_question_at_a_time(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    ask(panel, senior)

    assert refusal(lambda: ask(panel, senior)).code == "dispute_waits"
    assert refusal(lambda: further(panel, senior)).code == "dispute_waits"


def test_question_needs_a_note(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    assert refusal(lambda: ask(panel, senior, note="  ")).code == "reason_missing"
    assert not Inquiry.objects.exists()


def test_question_about_a_judgement_of_another_dispute_is_refused(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(2), member(Role.SENIOR)
    other = Judgement.objects.exclude(panel=panel)[0]

    code = refusal(
        lambda: ask_second_look(
            panel=panel, judgement=other, note="?", actor=senior, now=timezone.now()
        )
    ).code

    assert code == "judgement_unknown"


def test_who_judged_cannot_ask(disputed: Dispute) -> None:
    panel = disputed()
    reviewer = panel.judgements.first().reviewer

    assert refusal(lambda: ask(panel, reviewer)).code == "own_judgement"
    assert refusal(lambda: further(panel, reviewer)).code == "own_judgement"


@pytest.mark.parametrize("change", [{"is_paused": True}, {"role": Role.VIEWER}])
def test_reviewer_who_is_away_is_not_asked(
    disputed: Dispute, member: Member, change: dict[str, Any]
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    reviewer = panel.judgements.get(verdict="reject").reviewer
    Membership.objects.filter(user=reviewer).update(**change)

    assert refusal(lambda: ask(panel, senior)).code == "reviewer_away"


def test_reviewer_who_is_paused_after_being_asked_cannot_answer(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    inquiry = ask(panel, senior)
    assert inquiry.judgement is not None
    Membership.objects.filter(user=inquiry.judgement.reviewer).update(is_paused=True)

    assert refusal(lambda: answer(inquiry)).code == "reviewer_paused"
    approve(panel, senior)  # nobody is stuck
    assert Inquiry.objects.get().state == InquiryState.ENDED


def test_leaving_gives_the_dispute_back(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    inquiry = ask(panel, senior)
    assert inquiry.judgement is not None

    assert end_second_looks(inquiry.judgement.reviewer, "another", timezone.now()) == 0
    assert end_second_looks(inquiry.judgement.reviewer, "ti", timezone.now()) == 1

    assert not waiting(panel, senior)


def test_taking_back_gives_the_dispute_back(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    inquiry = ask(panel, senior)

    take_back(panel, senior)

    assert not waiting(panel, senior)
    assert refusal(lambda: take_back(panel, senior)).code == "nothing_asked"
    assert refusal(lambda: answer(inquiry)).code == "inquiry_over"


def test_closing_the_round_ends_questions_and_keeps_the_dispute(
    disputed: Dispute, member: Member
) -> None:
    panel, senior = disputed(2), member(Role.SENIOR)
    other = Panel.objects.exclude(pk=panel.pk).get()
    inquiry = ask(panel, senior)
    further(other, senior)

    round_ = close_round(round_=panel.round, actor=None, now=timezone.now())

    assert set(Inquiry.objects.values_list("state", flat=True)) == {InquiryState.ENDED}
    assert set(Panel.objects.values_list("state", flat=True)) == {PanelState.DISPUTED}
    assert Assignment.objects.get(seat=3).state == SeatState.CLOSED
    assert round_.figures["items_judged"] == 2
    panel = Panel.objects.get(pk=panel.pk)
    assert refusal(lambda: ask(panel, senior)).code == "round_closed"
    assert refusal(lambda: answer(inquiry)).code == "inquiry_over"


def test_first_judgement_counts_in_statements_too(disputed: Dispute, member: Member) -> None:
    panel = disputed()
    answer(ask(panel, member(Role.SENIOR)), verdict="reject")

    assert unstated(panel.round.project).count() == 3


def test_month_of_ones_own_work_says_what_the_statement_says(
    disputed: Dispute, member: Member
) -> None:
    panel = disputed()
    Judgement.objects.update(active_seconds=60)
    inquiry = ask(panel, member(Role.SENIOR))
    answer(inquiry, verdict="approve")

    month = month_of(timezone.now())
    (told,) = months_of_work(inquiry.reviewer, WorkFilter())
    lines = statement_of(panel.round.project, month).lines
    (line,) = [each for each in lines if each.person == inquiry.reviewer_id]

    assert (told.judgements, told.active_seconds) == (line.judgements, line.active_seconds)
    assert (told.judgements, told.decided) == (2, 0)


# Further seats


def test_further_seat_is_offered_to_another_reviewer_and_decides(
    opened: Open, reviewers: Callable[[int], list[User]], member: Member, judge: Judge
) -> None:
    round_ = opened(1, verdict_rule="majority")
    first, second, third = reviewers(3)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    panel, senior = Panel.objects.get(), member(Role.SENIOR)
    assert not can_take_item(third, round_, now=timezone.now())

    inquiry = further(panel, senior)

    assert waiting(panel, senior)
    assert can_take_item(third, round_, now=timezone.now())
    assert not can_take_item(first, round_, now=timezone.now())
    assert claim_seat(round_=round_, reviewer=first, now=timezone.now()) is None
    judge(round_, third)
    panel.refresh_from_db()
    assert (panel.state, panel.outcome) == (PanelState.SETTLED, "approved")
    assert panel.tally == "A44 A44 R44 < A44 R44"
    inquiry.refresh_from_db()
    assert (inquiry.state, inquiry.answer) == ("answered", panel.judgements.get(reviewer=third))


def test_who_asks_for_a_further_judgement_is_not_offered_it(
    disputed: Dispute, member: Member
) -> None:
    panel, senior, other = disputed(1), member(Role.SENIOR), member(Role.SENIOR)
    round_ = panel.round

    further(panel, senior)

    assert not can_take_item(senior, round_, now=timezone.now())
    assert claim_seat(round_=round_, reviewer=senior, now=timezone.now()) is None
    assert can_take_item(other, round_, now=timezone.now())
    assert claim_seat(round_=round_, reviewer=other, now=timezone.now()) is not None


def test_counts_of_seats_follow_further_seats(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(2), member(Role.SENIOR)
    assert round_progress(Round.objects.get()).seats == 4

    further(panel, senior)
    assert round_progress(Round.objects.get()).seats == 5

    take_back(panel, senior)
    progress = round_progress(Round.objects.get())
    assert (progress.seats, progress.seats_judged, progress.percent) == (4, 4, 100)


def test_agreement_is_of_the_first_judgements(
    disputed: Dispute, reviewers: Callable[[int], list[User]], member: Member, judge: Judge
) -> None:
    panel, senior = disputed(12), member(Role.SENIOR)
    round_ = panel.round
    before = brief_figures(input_of(grouped(Panel.objects.all()), round_)).as_json()

    further(panel, senior)
    judge(round_, *reviewers(1), verdict="reject")
    answer(ask(Panel.objects.order_by("-pk")[0], senior), correction=Correction("གཞན།", OPTIONS))

    after = brief_figures(input_of(grouped(Panel.objects.all()), round_)).as_json()
    assert after == before
    assert after["fleiss_kappa"]["n_used"] == 12


def test_seat_that_somebody_holds_cannot_be_taken_back(
    disputed: Dispute, reviewers: Callable[[int], list[User]], member: Member
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    further(panel, senior)
    seat = claim_seat(round_=panel.round, reviewer=reviewers(1)[0], now=timezone.now())
    assert seat is not None

    assert refusal(lambda: take_back(panel, senior)).code == "seat_in_use"

    later = timezone.now() + timedelta(hours=2)
    take_back_inquiry(panel=panel, actor=senior, now=later)
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLOSED


def test_judgement_that_comes_after_the_decision_is_told_so(
    disputed: Dispute, reviewers: Callable[[int], list[User]], member: Member
) -> None:
    panel, senior, (late,) = disputed(), member(Role.SENIOR), reviewers(1)
    further(panel, senior)
    seat = claim_seat(round_=panel.round, reviewer=late, now=timezone.now())
    assert seat is not None
    approve(panel, senior)

    code = refusal(
        lambda: submit_judgement(
            assignment=seat,
            reviewer=late,
            revision_id=panel.revision_id,
            content=content(),
            idempotency_key="late",
            now=timezone.now(),
        )
    ).code

    assert code == "panel_not_open"
    assert Judgement.objects.count() == 2
    assert Round.objects.get().added_seat_count == 0


def test_panel_has_at_most_nine_seats(
    opened: Open, reviewers: Callable[[int], list[User]], member: Member, judge: Judge
) -> None:
    round_ = opened(1, panel_size=9)
    for number, person in enumerate(reviewers(9)):
        judge(round_, person, verdict="reject" if number else "approve")
    panel, senior = Panel.objects.get(), member(Role.SENIOR)

    assert refusal(lambda: further(panel, senior)).code == "panel_full"


def test_uncertain_panels_get_as_many_seats_as_the_round_says(
    opened: Open, reviewers: Callable[[int], list[User]], member: Member, judge: Judge
) -> None:
    round_ = opened(1, uncertain_seats=2)
    people, senior = reviewers(5), member(Role.SENIOR)
    for number, person in enumerate(people[:4]):
        assert Round.objects.get().added_seat_count == max(0, number - 1)
        judge(round_, person, verdict="reject" if number % 2 else "approve")

    panel = Panel.objects.get()
    assert panel.tally == "A44 A44 R44 R44 < A44 R44"
    assert not waiting(panel, senior)
    assert not can_take_item(people[4], round_, now=timezone.now())


def test_what_only_a_senior_can_decide_gets_no_seat_by_itself(
    opened: Open, reviewers: Callable[[int], list[User]], judge: Judge
) -> None:
    round_ = opened(1, uncertain_seats=1)
    for person in reviewers(2):
        judge(round_, person, tags=["wrong_key"])

    assert Panel.objects.get().state == PanelState.DISPUTED
    assert not Inquiry.objects.exists()


def test_tally_tells_what_is_in_force_and_what_was_said_first() -> None:
    once = later_tally("A44 R44", ["R44", "A44", "A55"])
    twice = later_tally(once, ["A44", "A55", "A55"])

    assert (once, twice) == ("A44 A55 R44 < A44 R44", "A44 A55 A55 < A44 R44")
    assert (tokens_of(twice), first_tally(twice)) == (["A44", "A55", "A55"], "A44 R44")
    assert first_tally("A44") == "A44"
