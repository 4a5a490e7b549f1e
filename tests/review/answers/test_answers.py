"""Answers of comparisons and solving rounds: stored once, taken back, refused in words."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from annotation.enums import Origin
from projects.models import Project
from review.answers.actions import (
    AnswerContent,
    AnswerInvalid,
    TextsChanged,
    submit_answer,
    withdraw_answer,
)
from review.answers.comparing import candidates_for, system_texts
from review.enums import PanelState, RoundKind, SeatState, SkipReason
from review.idempotency import IdempotencyKeyReused
from review.models import Answer, Assignment, Round
from review.rounds.actions.rounds import RoundHasJudgements, close_round, discard_round
from review.rounds.actions.settings import RoundInvalid
from review.seats.actions.seats import claim_seat, free_expired_seats, reserve_seats, skip_seat
from review.seats.refusals import OtherKind, RoundClosed, SeatAlreadyJudged, SeatTaken
from review.workbench.actions.judgements import submit_judgement
from review.workbench.actions.withdrawals import UndoTimeOver
from tests.review.conftest import content
from tests.review.kinds import add_system, add_text, compare, comparison, give, opinion, solve, take

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def solving(opened: Callable[..., Round]) -> Callable[..., Round]:
    return lambda count=1, **settings: opened(count, kind=RoundKind.SOLVING, **settings)


@pytest.fixture
def comparing(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round]
) -> Callable[..., Round]:
    def make(count: int = 1, **settings: Any) -> Round:
        items(count)
        add_system(project)
        return opened(0, kind=RoundKind.COMPARISON, **settings)

    return make


def test_submit_answer_of_a_solving_round_stores_the_choice_and_counts_it(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)

    answer = solve(round_, user, "C", comment="sure", active_seconds=0)

    round_.refresh_from_db()
    assert (answer.choice, answer.comment) == ("C", "sure")
    assert (round_.answered_count, round_.judged_count) == (1, 0)
    assert answer.assignment.state == SeatState.CLAIMED  # as it was read
    assert Assignment.objects.get(pk=answer.assignment_id).state == SeatState.JUDGED
    assert round_.panels.get().state == PanelState.JUDGING


def test_submit_answer_again_with_the_same_key_changes_nothing(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    seat = take(round_, user)

    first = give(seat, user, AnswerContent(choice="A"))
    again = give(seat, user, AnswerContent(choice="B"))

    round_.refresh_from_db()
    assert (again.pk, again.choice, round_.answered_count) == (first.pk, "A", 1)


def test_submit_answer_with_another_key_says_it_is_answered(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    seat = take(round_, user)
    give(seat, user, AnswerContent(choice="A"))

    with pytest.raises(SeatAlreadyJudged):
        give(seat, user, AnswerContent(choice="B"), key="another")


def test_submit_answer_with_the_key_of_another_seat_is_refused(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving(2)
    (user,) = reviewers(1)
    give(take(round_, user), user, AnswerContent(choice="A"), key="one")

    with pytest.raises(IdempotencyKeyReused):
        give(take(round_, user), user, AnswerContent(choice="A"), key="one")


@pytest.mark.parametrize("choice", ["E", "AB", "a", "?", "ABCD"])
def test_submit_answer_with_no_such_option_is_refused_and_keeps_the_seat(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]], choice: str
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    seat = take(round_, user)

    with pytest.raises(AnswerInvalid) as caught:
        give(seat, user, AnswerContent(choice=choice))

    assert list(caught.value.fields) == ["choice"]
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED


def test_submit_answer_of_a_comparison_stores_what_is_said_of_each_text(
    project: Project, comparing: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = comparing()
    (user,) = reviewers(1)

    answer = compare(
        round_,
        user,
        {"mt": opinion(rank=2, domain=1), "other": opinion(is_approved=False, rank=1)},
    )

    rows = answer.texts.order_by("revision__translation__system").values_list(
        "revision__translation__system", "is_approved", "ratings", "rank"
    )
    assert list(rows) == [
        ("mt", True, {"domain": 1, "cultural": 4}, 2),
        ("other", False, {"domain": 4, "cultural": 4}, 1),
    ]
    assert sorted(answer.texts.values_list("place", flat=True)) == [0, 1]


@pytest.mark.parametrize(
    ("spoil", "fields"),
    [
        (lambda c: replace(c, opinions={}), {"texts.1", "texts.2"}),
        (lambda c: replace(c, opinions=None), {"texts.1", "texts.2"}),
        (lambda c: replace(c, opinions=_with(c, is_approved=None)), {"texts.1"}),
        (lambda c: replace(c, opinions=_with(c, ratings={"domain": 9})),
         {"texts.1.domain", "texts.1.cultural"}),
        (lambda c: replace(c, opinions=_with(c, rank=1)), {"rank"}),
        (lambda c: replace(c, opinions=_with(c, rank=7)), {"texts.1.rank", "rank"}),
        (lambda c: replace(c, opinions={**c.opinions, 3: c.opinions[1]}), {"texts"}),
        (lambda c: replace(c, comment="x" * 20_001), {"comment"}),
    ],
)  # fmt: skip
def test_submit_answer_of_a_comparison_names_the_fields_at_fault(
    comparing: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    spoil: Callable[[AnswerContent], AnswerContent],
    fields: set[str],
) -> None:
    round_ = comparing()
    (user,) = reviewers(1)
    seat = take(round_, user)
    sound = comparison(seat, user, {"mt": opinion(), "other": opinion()})

    with pytest.raises(AnswerInvalid) as caught:
        give(seat, user, spoil(sound))

    assert set(caught.value.fields) == fields
    assert not Answer.all_rows.exists()


def _with(said: AnswerContent, **changes: Any) -> Any:
    assert said.opinions
    return {**said.opinions, 1: replace(said.opinions[1], **changes)}


def test_submit_answer_after_a_text_was_imported_anew_stores_nothing(
    project: Project, comparing: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = comparing()
    (user,) = reviewers(1)
    seat = take(round_, user)
    said = comparison(seat, user, {"mt": opinion(), "other": opinion()})
    add_text(seat.panel.item, "other", "གསར།", number=2)

    with pytest.raises(TextsChanged):
        give(seat, user, said)

    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED


def test_submit_answer_after_the_time_ran_out_counts_if_the_seat_is_free(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving(panel_size=1)
    (user,) = reviewers(1)
    seat = take(round_, user)
    late = timezone.now() + timedelta(hours=2)
    free_expired_seats(round_=round_, now=late)

    answer = submit_answer(
        assignment=Assignment.objects.select_related("round__project").get(pk=seat.pk),
        reviewer=user,
        content=AnswerContent(choice="B"),
        idempotency_key="late",
        now=late,
    )

    assert answer.choice == "B"


def test_submit_answer_after_somebody_else_took_the_seat_is_refused(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving(panel_size=1)
    slow, quick = reviewers(2)
    seat = take(round_, slow)
    late = timezone.now() + timedelta(hours=2)
    claim_seat(round_=round_, reviewer=quick, now=late, kind=RoundKind.SOLVING)

    with pytest.raises(SeatTaken):
        submit_answer(
            assignment=Assignment.objects.select_related("round__project").get(pk=seat.pk),
            reviewer=slow,
            content=AnswerContent(choice="B"),
            idempotency_key="late",
            now=late,
        )


def test_submit_answer_in_a_closed_round_is_refused(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    seat = take(round_, user)
    close_round(round_=round_, actor=None, now=timezone.now())

    with pytest.raises(RoundClosed):
        give(seat, user, AnswerContent(choice="A"))


def test_withdraw_answer_gives_the_seat_again_and_keeps_the_row(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    answer = solve(round_, user, "A")

    seat = withdraw_answer(answer=answer, reviewer=user, now=timezone.now())
    again = withdraw_answer(answer=answer, reviewer=user, now=timezone.now())
    second = give(seat, user, AnswerContent(choice="B"), key="second")

    round_.refresh_from_db()
    assert (seat.state, again.pk) == (SeatState.CLAIMED, seat.pk)
    assert list(Answer.objects.values_list("choice", flat=True)) == ["B"]
    assert Answer.all_rows.count() == 2
    assert (second.choice, round_.answered_count) == ("B", 1)


def test_withdraw_answer_after_the_grace_time_is_refused(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    answer = solve(round_, user)

    with pytest.raises(UndoTimeOver):
        withdraw_answer(
            answer=answer, reviewer=user, now=answer.submitted_at + timedelta(minutes=11)
        )


def test_withdraw_answer_of_a_closed_round_is_refused(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    answer = solve(round_, user)
    close_round(round_=round_, actor=None, now=timezone.now())

    with pytest.raises(RoundClosed):
        withdraw_answer(answer=answer, reviewer=user, now=timezone.now())


def test_answers_are_one_a_person_in_the_database(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    answer = solve(round_, user)
    other = round_.assignments.exclude(pk=answer.assignment_id).get()
    answer.pk, answer.assignment, answer.idempotency_key = None, other, "x"
    answer.receipt = "00000000-0000-4000-8000-000000000000"

    with pytest.raises(IntegrityError), transaction.atomic():
        answer.save(force_insert=True)


def test_review_actions_refuse_rounds_of_another_kind(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    seat = take(round_, user)
    now = timezone.now()

    with pytest.raises(OtherKind):
        claim_seat(round_=round_, reviewer=user, now=now)
    with pytest.raises(OtherKind):
        reserve_seats(round_=round_, reviewer=user, now=now)
    with pytest.raises(OtherKind):
        submit_judgement(
            assignment=seat,
            reviewer=user,
            revision_id=seat.panel.revision_id,
            content=content(),
            idempotency_key="k",
            now=now,
        )


def test_take_in_a_review_round_is_refused_to_other_kinds(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)

    with pytest.raises(OtherKind):
        claim_seat(round_=round_, reviewer=user, now=timezone.now(), kind=RoundKind.SOLVING)


def test_solving_is_not_offered_to_who_judged_the_item(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Any],
    solving: Callable[..., Round],
) -> None:
    first = opened(1)
    saw, new = reviewers(2)
    judge(first, saw)
    close_round(round_=first, actor=None, now=timezone.now())
    second = solving(0)
    ask = {"round_": second, "now": timezone.now(), "kind": RoundKind.SOLVING}

    assert claim_seat(reviewer=saw, **ask) is None
    assert claim_seat(reviewer=new, **ask) is not None


def test_solving_is_offered_to_who_judged_the_item_where_the_manager_says_so(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Any],
    solving: Callable[..., Round],
) -> None:
    first = opened(1)
    (saw,) = reviewers(1)
    judge(first, saw)
    close_round(round_=first, actor=None, now=timezone.now())
    second = solving(0, is_same_panel_allowed=True)

    assert take(second, saw).round_id == second.pk


def test_comparison_is_not_offered_to_the_author_of_one_of_the_texts(
    project: Project,
    items: Callable[[int], None],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    items(1)
    author, other = reviewers(2)
    add_text(project.items.get(), "by hand", "ལག་བྲིས།", origin=Origin.IMPORTED, author=author)
    round_ = opened(0, kind=RoundKind.COMPARISON)
    ask = {"round_": round_, "now": timezone.now(), "kind": RoundKind.COMPARISON}

    assert claim_seat(reviewer=author, **ask) is None
    assert claim_seat(reviewer=other, **ask) is not None


def test_comparison_takes_only_items_with_texts_of_two_systems(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round]
) -> None:
    items(3)
    add_text(project.items.order_by("pk")[1], "other", "གཞན།")

    round_ = opened(0, kind=RoundKind.COMPARISON)

    assert list(round_.panels.values_list("item__uid", flat=True)) == ["s/00001"]


def test_comparison_in_a_project_of_one_system_is_refused(opened: Callable[..., Round]) -> None:
    with pytest.raises(RoundInvalid) as caught:
        opened(1, kind=RoundKind.COMPARISON)

    assert list(caught.value.fields) == ["kind"]


def test_system_texts_are_the_latest_that_came_from_the_system(
    project: Project, items: Callable[[int], None]
) -> None:
    items(1)
    item = project.items.get()
    add_text(item, "mt", "ཞུས་དག", origin=Origin.HUMAN, number=2)
    add_text(item, "other", "དང་པོ།")
    newer = add_text(item, "other", "གཉིས་པ།", origin=Origin.IMPORTED, number=2)

    found = system_texts([item.pk])[item.pk]

    assert [each.question for each in found] == ["འདྲི་བ།", newer.question]


def test_candidates_stand_in_another_order_for_each_person_and_always_the_same(
    project: Project, comparing: Callable[..., Round]
) -> None:
    round_ = comparing()
    panel = round_.panels.get()

    orders = {
        person: [each.question for each in candidates_for(panel, round_, person).texts]
        for person in range(40)
    }

    assert {tuple(order) for order in orders.values()} == {
        ("འདྲི་བ།", "གཞན།"),
        ("གཞན།", "འདྲི་བ།"),
    }
    again = candidates_for(panel, round_, 7)
    assert [each.question for each in again.texts] == orders[7]
    assert again.token == candidates_for(panel, round_, 7).token


def test_candidates_show_the_same_text_of_two_systems_once(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round]
) -> None:
    items(1)
    add_text(project.items.get(), "copy", "འདྲི་བ།")
    add_text(project.items.get(), "other", "གཞན།")
    round_ = opened(0, kind=RoundKind.COMPARISON)

    shown = candidates_for(round_.panels.get(), round_, 1)

    assert sorted(len(each.revisions) for each in shown.texts) == [1, 2]


def test_skip_of_a_seat_to_answer_frees_it_for_others(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving(panel_size=1)
    first, second = reviewers(2)
    seat = take(round_, first)

    skip_seat(assignment=seat, reviewer=first, reason=SkipReason.OTHER, note="", now=timezone.now())

    ask = {"round_": round_, "now": timezone.now(), "kind": RoundKind.SOLVING}
    assert claim_seat(reviewer=first, **ask) is None
    assert take(round_, second).panel_id == seat.panel_id


def test_cap_holds_for_answers(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving(3, cap_per_person=1)
    (user,) = reviewers(1)
    solve(round_, user)

    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now(), kind=RoundKind.SOLVING)

    assert seat is None


def test_discard_round_with_an_answer_is_refused_also_when_it_was_taken_back(
    solving: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = solving()
    (user,) = reviewers(1)
    withdraw_answer(answer=solve(round_, user), reviewer=user, now=timezone.now())

    with pytest.raises(RoundHasJudgements):
        discard_round(round_=round_, actor=None, now=timezone.now())
