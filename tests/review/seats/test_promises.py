"""What is promised before somebody claims, held against what a claim then gives."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.items.keys import correct_key
from annotation.models import Item
from projects.enums import Role
from projects.models import Membership, Project, Subject
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import PanelState, RoundKind, Selection, SkipReason
from review.models import Assignment, Judgement, Panel, Round
from review.rounds.actions.rounds import close_round, open_round, preview_of
from review.rounds.actions.settings import RoundSettings
from review.rounds.previews import RoundPreview
from review.rounds.staffing import Shortage, ShortageCode
from review.seats.actions.seats import claim_seat, skip_seat
from review.seats.waiting import can_take_item, is_stuck
from review.selection.item_choice import chosen_items
from review.workbench.actions.withdrawals import withdraw_judgement
from tests.factories import SubjectFactory, make_translated_item
from tests.review.kinds import add_system, add_text

Judging = Callable[..., Judgement]
Member = Callable[..., User]
Open = Callable[..., Round]


def preview_and_open(project: Project, **settings: Any) -> tuple[RoundPreview, Round]:
    """Preview a round over all items, then open it."""
    chosen = RoundSettings(selection=Selection.ALL, **settings)
    preview = preview_of(project, chosen)
    round_ = open_round(project=project, settings=chosen, actor=None, now=timezone.now())
    return preview, round_


def promised(preview: RoundPreview, people: list[User]) -> list[int]:
    return [preview.forecast.items_for[each.pk] for each in people]


def offered(round_: Round, people: list[User]) -> list[int]:
    return [offered_to(user, round_) for user in people]


def offered_to(user: User, round_: Round) -> int:
    """How many items a claim offers to somebody who skips each; Home says the same before."""
    count, kind = 0, RoundKind(round_.kind)
    while seat := claim_seat(round_=round_, reviewer=user, now=timezone.now(), kind=kind):
        skip_seat(
            assignment=seat, reviewer=user, reason=SkipReason.OTHER, note="", now=timezone.now()
        )
        count += 1
        is_left = can_take_item(user, round_, now=timezone.now())
        next_one = claim_seat(round_=round_, reviewer=user, now=timezone.now(), kind=kind)
        assert is_left == bool(next_one)
    return count


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("is_same_panel_allowed", "expected"),
    [(None, [2, 2, 3, 4]), (False, [2, 2, 3, 4]), (True, [4, 4, 4, 4])],
)
def test_who_saw_a_key_is_not_promised_an_item_to_solve(
    is_same_panel_allowed: bool | None,
    expected: list[int],
    opened: Open,
    project: Project,
    member: Member,
    judge: Judging,
) -> None:
    judged, decided, corrected = member(), member(Role.SENIOR), member(Role.SENIOR)
    others = [member() for _n in range(4)]
    before = opened(4, panel_size=2)
    for _n in range(2):
        judge(before, judged)
        judge(before, others[0], verdict="reject")
    for panel in Panel.objects.filter(state=PanelState.DISPUTED):
        decision = DecisionContent(kind="approve")
        adjudicate_panel(panel=panel, senior=decided, content=decision, now=timezone.now())
    item = Item.objects.order_by("pk")[0]
    correct_key(item=item, key="B", reason="It is B.", actor=corrected, now=timezone.now())
    close_round(round_=before, actor=None, now=timezone.now())
    people = [judged, decided, corrected, others[1]]

    preview, round_ = preview_and_open(
        project,
        kind=RoundKind.SOLVING,
        panel_size=3,
        is_same_panel_allowed=is_same_panel_allowed,
    )

    assert promised(preview, people) == offered(round_, people) == expected


@pytest.mark.django_db
def test_judgement_taken_back_still_kept_its_item_from_the_next_round(
    opened: Open, project: Project, member: Member, judge: Judging
) -> None:
    person, others = member(), [member() for _n in range(5)]
    before = opened(2, panel_size=2)
    withdraw_judgement(judgement=judge(before, person), reviewer=person, now=timezone.now())
    judge(before, others[0])
    close_round(round_=before, actor=None, now=timezone.now())

    preview, round_ = preview_and_open(project)

    assert promised(preview, [person]) == offered(round_, [person]) == [1]


@pytest.mark.django_db
def test_author_of_any_text_is_not_promised_an_item_to_compare(
    items: Callable[[int], None], project: Project, member: Member
) -> None:
    items(3)
    author, other = member(), member()
    for item in project.items.order_by("pk")[:2]:
        add_text(item, "human", "གཞན།", author=author)
    add_system(project)

    preview, round_ = preview_and_open(project, kind=RoundKind.COMPARISON)

    assert preview.forecast.shortages == (Shortage(ShortageCode.OWN_WORK, 2),)
    assert promised(preview, [author, other]) == offered(round_, [author, other]) == [1, 3]


@pytest.mark.django_db
def test_seat_that_no_expert_needs_any_more_is_shown_to_whom_a_claim_gives_it(
    opened: Open, project: Project, member: Member, judge: Judging
) -> None:
    first, second, anybody = member(), member(), member()
    round_ = opened(1, panel_size=2, needs_expert=True)
    for person in (first, second):
        place = Membership.objects.get(user=person, project=project)
        place.subjects.set(Subject.objects.filter(project=project))
    claim_seat(round_=round_, reviewer=first, now=timezone.now())
    judge(round_, second)
    kept = Assignment.objects.get(reviewer=first)
    skip_seat(assignment=kept, reviewer=first, reason=SkipReason.OTHER, note="", now=timezone.now())

    assert not is_stuck(round_, now=timezone.now())
    assert can_take_item(anybody, round_, now=timezone.now())
    assert claim_seat(round_=round_, reviewer=anybody, now=timezone.now())


@pytest.mark.django_db
def test_control_items_count_for_the_cap_and_the_work(
    opened: Open, project: Project, member: Member, judge: Judging
) -> None:
    judges = [member(), member()]
    before = opened(1, panel_size=2)
    for person in judges:
        judge(before, person)
    close_round(round_=before, actor=None, now=timezone.now())
    known = make_translated_item(project=project, subject=SubjectFactory(project=project))
    settings = {"selection": Selection.NOT_APPROVED, "control_percent": 100, "panel_size": 2}

    found = {
        cap: preview_of(project, chosen).forecast
        for cap in (1, 2)
        if (chosen := RoundSettings(**settings, cap_per_person=cap))
    }

    assert chosen_items(project, RoundSettings().choice).filter(pk=known.pk).exists()
    assert found[1].shortages == (Shortage(ShortageCode.CAP, 2),)
    assert (found[2].shortages, found[2].workload) == ((), 2)
