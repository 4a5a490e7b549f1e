"""Which stage a round is: by what most of its items are there for."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from projects.models import Project
from review.enums import Purpose, Selection
from review.models import Judgement, Round
from review.outcomes import Correction
from review.report import queries as report_queries
from review.report.labels import stage_name
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from tests.review.conftest import OPTIONS
from tests.review.kinds import close

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
Judge = Callable[..., Judgement]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


def names(project: Project) -> list[str]:
    return [stage_name(each.name) for each in report_queries.stage_table(project)]


def test_second_attempt_at_the_first_round_is_a_part_of_the_initial_stage(
    opened: Open, member: Callable[..., User], judge: Judge, project: Project
) -> None:
    person = member()
    first = opened(3, panel_size=1)
    judge(first, person)
    close(first)
    second = opened(0, panel_size=1, selection=Selection.NOT_APPROVED)
    judge(second, person)

    assert (second.purpose, second.stage) == (Purpose.INITIAL, 0)
    assert names(project) == ["Initial", "Initial, part 2"]


def test_round_over_changed_texts_is_the_next_alignment(
    opened: Open, member: Callable[..., User], judge: Judge, project: Project
) -> None:
    people = [member() for _number in range(3)]
    round_ = opened(2, panel_size=1)
    for place, person in enumerate(people):
        correction = Correction(f"{NEW.question} {'ཀཁག'[place]}", OPTIONS)
        judge(round_, person, correction=correction)
        judge(round_, person, correction=correction)
        close(round_)
        round_ = opened(0, panel_size=1, is_same_panel_allowed=True)

    assert names(project) == ["Initial", "1st Alignment", "2nd Alignment"]
    assert (round_.purpose, round_.stage) == (Purpose.ALIGNMENT, 3)


def test_round_over_approved_texts_is_an_audit(
    opened: Open, member: Callable[..., User], judge: Judge, project: Project
) -> None:
    for number in range(3):
        round_ = opened(0 if number else 2, panel_size=1, is_same_panel_allowed=True)
        person = member()
        judge(round_, person)
        judge(round_, person)
        close(round_)

    assert names(project) == ["Initial", "Audit", "2nd Audit"]


def test_rounds_without_a_full_panel_are_no_stages(
    opened: Open, member: Callable[..., User], judge: Judge, project: Project
) -> None:
    empty = opened(2)
    close(empty)
    half = open_round(
        project=project, settings=RoundSettings(selection=Selection.ALL), actor=None,
        now=timezone.now(),
    )  # fmt: skip
    judge(half, member())
    close(half)

    assert names(project) == []
    assert (half.purpose, half.stage) == (Purpose.INITIAL, 0)
