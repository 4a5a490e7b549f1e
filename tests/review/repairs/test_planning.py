"""What a preview shows: every text with a certain repair, and why each other text is left out."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.checks.actions import dismiss_finding
from annotation.enums import TranslationState
from annotation.items.actions import exclude_item
from annotation.models import Finding, Item, Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.enums import LeftOut, PanelState, Selection
from review.models import Panel
from review.outcomes import Correction
from review.repairs import planning
from review.repairs.planning import RepairFilter, plan_repairs
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from tests.factories import SubjectFactory
from tests.review.repairs.conftest import BROKEN, ESCAPES, SOUND, text_of

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Broken = Callable[..., Item]
OPTIONS = ("གཅིག", "གཉིས", "གསུམ", "བཞི")


def left_out(project: Project, code: str = "escapes_left") -> list[LeftOut | None]:
    plan = plan_repairs(project, RepairFilter(code=code))
    assert not plan.repairs
    return [each.left for each in plan.left]


def test_preview_has_the_repaired_text_and_changes_nothing(
    project: Project, broken: Broken
) -> None:
    item = broken()

    plan = plan_repairs(project, ESCAPES)

    assert [(each.revision, each.new) for each in plan.repairs] == [
        (text_of(item), Correction(SOUND, OPTIONS))
    ]
    assert (plan.left, plan.next_after) == ([], None)
    assert (text_of(item).question, Revision.objects.count()) == (BROKEN, 1)


def test_preview_is_of_one_subject_or_system(project: Project, broken: Broken) -> None:
    law = SubjectFactory(project=project, slug="law")
    mine = broken(subject=law)
    other = broken(system="other")

    def found(**names: str) -> list[Revision]:
        plan = plan_repairs(project, RepairFilter(code="escapes_left", **names))
        return [each.revision for each in plan.repairs]

    assert found(subject="law") == [text_of(mine)]
    assert found(system="other") == [text_of(other)]
    assert found(subject="law", system="other") == []


def test_preview_goes_on_behind_the_texts_it_looked_at(
    project: Project, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "AT_ONCE", 2)
    first, second, third = (text_of(broken()) for _ in range(3))

    begun = plan_repairs(project, ESCAPES)
    rest = plan_repairs(project, RepairFilter(code="escapes_left", after=second.pk))

    assert ([each.revision for each in begun.repairs], begun.next_after) == (
        [first, second],
        second.pk,
    )
    assert ([each.revision for each in rest.repairs], rest.next_after) == ([third], None)
    whole = plan_repairs(project, ESCAPES, is_whole=True)
    assert ([each.revision for each in whole.repairs], whole.next_after) == (
        [first, second, third],
        None,
    )


def test_digest_stands_for_texts_repairs_and_filter(project: Project, broken: Broken) -> None:
    broken()
    before = plan_repairs(project, ESCAPES).digest

    assert plan_repairs(project, ESCAPES).digest == before
    assert plan_repairs(project, RepairFilter(code="escapes_left", system="mt")).digest != before
    broken()
    assert plan_repairs(project, ESCAPES).digest != before


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (PanelState.JUDGING, LeftOut.BEING_JUDGED),
        (PanelState.DISPUTED, LeftOut.IN_DISPUTE),
    ],
)
def test_text_of_an_undecided_panel_is_left_out(
    project: Project, broken: Broken, state: str, reason: LeftOut
) -> None:
    broken()
    settings = RoundSettings(selection=Selection.ALL)
    open_round(project=project, settings=settings, actor=None, now=timezone.now())
    outcome = "disputed" if state == PanelState.DISPUTED else ""
    Panel.objects.update(state=state, outcome=outcome)

    assert left_out(project) == [reason]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (TranslationState.APPROVED, LeftOut.APPROVED),
        (TranslationState.REJECTED, LeftOut.REJECTED),
    ],
)
def test_text_that_was_decided_on_is_left_out(
    project: Project, broken: Broken, state: str, reason: LeftOut
) -> None:
    broken()
    Translation.objects.update(state=state)

    assert left_out(project) == [reason]


def test_excluded_item_is_left_out(project: Project, broken: Broken) -> None:
    exclude_item(item=broken(), reason="twice", actor=None, now=timezone.now())

    assert left_out(project) == [LeftOut.EXCLUDED]


def test_text_with_a_dismissed_finding_of_the_check_is_left_out(
    project: Project, broken: Broken, member: Callable[..., User]
) -> None:
    broken(BROKEN, options=['ཀ\\"', "ཁ", "ག", "ང"])
    finding = Finding.objects.get(code="escapes_left", field="options.0")
    senior = member(Role.SENIOR)
    dismiss_finding(finding=finding, reason="meant", actor=senior, now=timezone.now())

    assert left_out(project) == [LeftOut.DISMISSED]


def test_text_in_which_the_check_finds_nothing_now_is_left_out(
    project: Project, broken: Broken
) -> None:
    text = text_of(broken(SOUND))
    Finding.objects.create(
        revision=text, code="escapes_left", severity="warning", field="question",
        created_at=timezone.now(),
    )  # fmt: skip

    assert left_out(project) == [LeftOut.GONE]


def test_text_with_another_finding_at_the_same_place_is_left_out(
    project: Project, broken: Broken
) -> None:
    broken('我们的\\"我们的\\"我们的问题 བ།')

    assert left_out(project) == [LeftOut.OVERLAPPING]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("འདྲི་བ།\\nའདྲི།", "escapes_left"),  # no repair at all
        ('Here is the translation: \\"བ།', "model_chatter"),  # the repair is of another check
    ],
)
def test_text_without_a_certain_repair_of_the_check_is_left_out(
    project: Project, broken: Broken, question: str, code: str
) -> None:
    broken(question)

    assert left_out(project, code) == [LeftOut.NO_REPAIR]


@pytest.mark.parametrize("code", ["reported", "options_exchanged"])
def test_what_no_check_of_one_text_finds_has_no_repair(
    project: Project, broken: Broken, code: str
) -> None:
    Finding.objects.create(
        revision=text_of(broken()), code=code, severity="warning", field="question",
        created_at=timezone.now(),
    )  # fmt: skip

    assert left_out(project, code) == [LeftOut.NO_REPAIR]


def test_repair_that_changes_numbers_is_left_out(project: Project, broken: Broken) -> None:
    broken("\\u0037 བ།")

    assert left_out(project) == [LeftOut.NUMBERS]


def test_repair_that_makes_two_options_the_same_is_left_out(
    project: Project, broken: Broken
) -> None:
    broken(BROKEN, options=['ཀ"', 'ཀ\\"', "ག", "ང"])

    assert left_out(project) == [LeftOut.NEW_ERROR]


def test_repair_that_would_open_a_dismissed_error_again_is_left_out(
    project: Project, broken: Broken, member: Callable[..., User]
) -> None:
    broken(BROKEN, options=["ཀ", "ཀ", "ག", "ང"])
    finding = Finding.objects.get(code="equal_options")
    senior = member(Role.SENIOR)
    dismiss_finding(finding=finding, reason="meant", actor=senior, now=timezone.now())

    assert left_out(project) == [LeftOut.NEW_ERROR]


def test_error_that_the_text_has_already_is_no_reason(project: Project, broken: Broken) -> None:
    broken(BROKEN, options=["ཀ", "ཀ", "ག", "ང"])

    assert len(plan_repairs(project, ESCAPES).repairs) == 1


def test_preview_asks_as_often_for_three_texts_as_for_one(
    project: Project, broken: Broken, django_assert_num_queries: Any
) -> None:
    broken()
    for count in (1, 3):
        while Item.objects.count() < count:
            broken()
        with django_assert_num_queries(4):
            assert len(plan_repairs(project, ESCAPES).repairs) == count
