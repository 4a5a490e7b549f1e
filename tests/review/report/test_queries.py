"""The tables of a report: own and cumulative, by the panel and final, as of any closed round."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from annotation.enums import SplitName
from annotation.models import Item
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.reopening import reopen_dispute
from review.enums import DecisionKind, PanelState
from review.models import Judgement, Panel, Round, RoundTables
from review.outcomes import Correction
from review.report import kept
from review.report.actions.tables import freeze_tables
from review.report.queries import (
    report,
    stage_table,
    subject_table,
)
from review.report.tables import report_json
from review.rounds.actions.rounds import close_round
from tests.factories import SubjectFactory, make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


@pytest.fixture
def two_rounds(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> list[Round]:
    """Four items: round 1 approves two, revises one, disputes one; round 2 approves the revised."""
    first, second = reviewers(2)
    one = opened(4)
    for said in ({}, {}, {"correction": NEW}, {"verdict": "reject"}):
        judge(one, first, **said)
        judge(one, second, **(said if said != {"verdict": "reject"} else {}))
    close_round(round_=one, actor=None, now=timezone.now())
    two = opened(0, selection="not-approved", is_same_panel_allowed=True)
    others = reviewers(2)
    for person in others:
        judge(two, person)
    return [one, two]


def approve_dispute(member: Callable[..., User]) -> None:
    settle(member(Role.SENIOR), DecisionKind.APPROVE)


def settle(senior: User, kind: DecisionKind) -> None:
    """Settle the only dispute there is."""
    (panel,) = Panel.objects.filter(state=PanelState.DISPUTED)
    content = DecisionContent(kind=kind, reason="r")
    adjudicate_panel(panel=panel, senior=senior, content=content, now=timezone.now())


def said(stages: Any) -> list[tuple[float | int | None, ...]]:
    return [
        (
            each.figures.items_judged,
            each.figures.approval_rate.value,
            each.figures.final_approval_rate.value,
            each.cumulative.items_judged,
            each.cumulative.approval_rate.value,
            each.cumulative.final_approval_rate.value,
        )
        for each in stages
    ]


def test_stages_have_their_own_and_the_cumulative_approval(
    two_rounds: list[Round], project: Project
) -> None:
    assert said(stage_table(project)) == [(4, 0.5, 0.5, 4, 0.5, 0.5), (1, 1, 1, 4, 0.75, 0.75)]


def test_final_approval_counts_a_senior_and_is_counted_after_closing(
    two_rounds: list[Round], project: Project, member: Callable[..., User]
) -> None:
    approve_dispute(member)

    assert said(stage_table(project)) == [(4, 0.5, 0.75, 4, 0.5, 0.75), (1, 1, 1, 4, 0.75, 1)]


def test_report_as_of_a_round_is_as_if_no_later_one_had_been_opened(
    two_rounds: list[Round], project: Project, member: Callable[..., User]
) -> None:
    before = report(project, as_of=1).as_json()
    approve_dispute(member)

    assert said(stage_table(project, as_of=1)) == [(4, 0.5, 0.5, 4, 0.5, 0.5)]
    assert report(project, as_of=1).as_json() == before


def test_report_as_of_a_round_keeps_a_decision_that_was_taken_back_later(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
    member: Callable[..., User],
    project: Project,
) -> None:
    one = opened(2)
    first, second = reviewers(2)
    for verdict in ("approve", "reject"):
        judge(one, first)
        judge(one, second, verdict=verdict)
    close_round(round_=one, actor=None, now=timezone.now())
    senior = member(Role.SENIOR)
    settle(senior, DecisionKind.APPROVE)
    opened(0, selection="list", uids=["s/00000"], is_same_panel_allowed=True)
    before = report_json(project, table=None, as_of=1, is_named=True)

    panel = Panel.objects.get(round=one, item__uid="s/00001")
    reopen_dispute(panel=panel, senior=senior, reason="a slip", now=timezone.now())
    taken_back = report_json(project, table=None, as_of=1, is_named=True)
    settle(senior, DecisionKind.REJECT)
    decided_anew = report_json(project, table=None, as_of=1, is_named=True)

    assert said(stage_table(project, as_of=1)) == [(2, 0.5, 1, 2, 0.5, 1)]
    assert before == taken_back == decided_anew
    assert said(stage_table(project)) == [(2, 0.5, 0.5, 2, 0.5, 0.5)]


def test_frozen_tables_say_what_the_live_ones_said(
    two_rounds: list[Round], project: Project, member: Callable[..., User]
) -> None:
    approve_dispute(member)
    live = report(project).as_json()
    close_round(round_=two_rounds[1], actor=None, now=timezone.now())
    frozen = report(project).as_json()
    RoundTables.objects.all().delete()
    again = report(project).as_json()

    def without_state(data: Any) -> Any:
        for stage in data["stages"]:
            del stage["is_closed"]
        return json.loads(json.dumps(data))

    assert without_state(frozen) == without_state(live) == without_state(again)


def test_dev_items_stand_apart(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
    project: Project,
) -> None:
    round_ = opened(3)
    Item.objects.filter(uid="s/00000").update(split=SplitName.DEV)
    Panel.objects.filter(item__uid="s/00000").update(is_dev=True)
    first, second = reviewers(2)
    for _number in range(3):
        judge(round_, first)
        judge(round_, second)
    live = stage_table(project)
    close_round(round_=round_, actor=None, now=timezone.now())
    closed = stage_table(project)

    for (stage,) in (live, closed):
        assert stage.dev is not None
        assert (stage.dev.items_judged, stage.dev.approved) == (1, 1)
        assert (stage.figures.items_judged, stage.cumulative.items_judged) == (2, 2)
    assert [row.figures.items_judged for row in subject_table(project)] == [2]


def test_groups_add_up_to_their_stage(
    two_rounds: list[Round], project: Project, member: Callable[..., User]
) -> None:
    project.subjects.update(category="science")
    RoundTables.objects.all().delete()
    approve_dispute(member)

    shown = report(project)
    for table in (shown.subjects, shown.categories):
        rows = [
            (r.setup.round, r.figures.items_judged, r.figures.final_approval_rate.value)
            for r in table
        ]
        assert rows == [(1, 4, 0.75), (2, 1, 1.0)]
    assert [row.code for row in shown.categories[:1]] == ["science"]
    assert [(row.code, row.figures.items_judged) for row in shown.systems] == [("mt", 4)]


def test_categories_that_an_import_names_after_a_round_was_closed_are_those_of_its_figures(
    two_rounds: list[Round], project: Project, member: Callable[..., User]
) -> None:
    late = SubjectFactory(project=project, slug="late")
    of_late = Item.objects.filter(uid__in=["s/00002", "s/00003"])
    of_late.update(subject=late)
    Panel.objects.filter(item__in=of_late).update(subject=late)
    project.subjects.exclude(pk=late.pk).update(category="science")
    RoundTables.objects.all().delete()
    freeze_tables(round_=Round.objects.get(number=1), actor=None, now=timezone.now())
    approve_dispute(member)

    project.subjects.update(category="science")

    rows = [
        (row.setup.round, row.figures.items_judged, row.figures.final_approval_rate.value)
        for row in report(project).categories
    ]
    assert rows == [(1, 4, 0.75), (2, 1, 1.0)]


def test_kept_figures_count_the_decisions_of_their_moment(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
    member: Callable[..., User],
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = opened(1)
    first, second = reviewers(2)
    for person in (first, second):
        judge(one, person)
    close_round(round_=one, actor=None, now=timezone.now())
    make_translated_item(
        project=project, source=project.sources.get(), subject=project.subjects.get(), uid="s/1"
    )
    two = opened(0, is_same_panel_allowed=True)
    monkeypatch.setattr(kept, "LARGE_ROUND", 2)
    for person in (first, second):
        judge(two, person)
    subject_table(project)
    before = said(stage_table(project))
    judge(two, first)
    judge(two, second, verdict="reject")
    approve_dispute(member)

    told = [row for row in subject_table(project) if row.setup.round == 2]

    assert [row.figures.final_approval_rate.value for row in told] == [1]
    assert [row[3:] for row in said(stage_table(project))] == [row[3:] for row in before]


def test_criteria_tell_how_often_each_rating_was_given(
    two_rounds: list[Round], project: Project
) -> None:
    rows = {(row.setup.round, row.criterion): row for row in report(project).criteria}

    assert rows[1, "domain"].counts == (0, 0, 0, 0, 8, 0)
    assert rows[2, "cultural"].counts == (0, 0, 0, 0, 2, 0)
    assert rows[1, "domain"].mean.value == 4


def test_project_without_rounds_has_empty_tables(project: Project) -> None:
    assert report(project).as_json() == {
        "project": "ti", "as_of": None, "stages": [], "systems": [], "candidates": [], "subjects": [],
        "categories": [], "criteria": [],
    }  # fmt: skip


def test_report_asks_a_fixed_number_of_queries(
    two_rounds: list[Round], project: Project, django_assert_num_queries: Any
) -> None:
    close_round(round_=two_rounds[1], actor=None, now=timezone.now())

    with django_assert_num_queries(6):
        report(project)


def test_report_of_closed_rounds_reads_no_judgement_and_no_panel_by_itself(
    two_rounds: list[Round], project: Project
) -> None:
    close_round(round_=two_rounds[1], actor=None, now=timezone.now())

    with CaptureQueriesContext(connection) as asked:
        report_json(project, table=None, as_of=2, is_named=True)

    others = [query["sql"] for query in asked if "review_adjudication" not in query["sql"]]
    assert not [sql for sql in others if "review_panel" in sql or "review_judgement" in sql]
