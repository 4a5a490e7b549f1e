"""Scoring of stored answers: by key, free, again for a new version, made up for after a gap."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.items.keys import correct_key
from annotation.models import Item
from endpoints.providers.base import EndpointRefused
from evaluation import request_building
from evaluation.models import ModelResponse, Score
from evaluation.results import actions as scores_module
from evaluation.results.actions import score_missing, unscored
from evaluation.results.labels import METHODS
from projects.models import Project
from scoring.scorers import SCORERS
from tests.evaluation.builders import NOW, finished_run, make_release, make_run, work_off
from tests.evaluation.runs.test_actions import Counting

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_scores_hold_what_each_method_took(project: Project) -> None:
    release = make_release(project, subjects={"history": "H"}, tests=1)
    run = finished_run(project, lambda request: "A good answer: B", release=release)

    rows = Score.objects.filter(run=run).order_by("method")

    fields = ("method", "letter", "is_valid", "is_correct", "error_kind")
    assert list(rows.values_list(*fields)) == [
        ("anchored", "B", True, False, "knowledge_error"),
        ("concern_all", "", False, False, "several_answers"),
        ("direct", "", False, False, "several_answers"),
    ]


def test_score_missing_twice_writes_nothing_the_second_time(project: Project) -> None:
    run = finished_run(project)
    before = set(Score.objects.values_list("pk", flat=True))

    assert score_missing(run=run) == 0
    assert set(Score.objects.values_list("pk", flat=True)) == before


def test_score_missing_makes_up_for_lost_scores_without_a_request(project: Project) -> None:
    run = finished_run(project)
    Score.objects.filter(method="direct").delete()

    assert unscored(run).count() == 6
    assert score_missing(run=run) == 6
    assert Score.objects.filter(run=run).count() == 18
    assert ModelResponse.objects.count() == 6


def test_new_version_of_a_method_adds_its_scores_beside_the_old(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished_run(project, methods=("direct",))
    newer: dict[str, Any] = {**SCORERS, "direct": replace(SCORERS["direct"], version="2")}
    monkeypatch.setattr(request_building, "SCORERS", newer)
    monkeypatch.setattr(scores_module, "SCORERS", newer)

    assert score_missing(run=run) == 6
    assert sorted(Score.objects.values_list("version", flat=True)) == [1] * 6 + [2] * 6


def test_scoring_again_after_a_key_was_corrected_reads_the_frozen_key(project: Project) -> None:
    release = make_release(project, subjects={"history": "H"}, tests=1)
    run = finished_run(project, lambda request: "A", release=release, methods=("direct",))
    item = Item.objects.select_related("project").get(uid="history/test-0")
    correct_key(item=item, key="B", reason="the law says so", actor=None, now=NOW)
    Score.objects.all().delete()

    assert score_missing(run=run) == 1
    assert list(Score.objects.values_list("letter", "is_correct")) == [("A", True)]


def test_failed_responses_are_never_scored(project: Project) -> None:
    run = make_run(project)
    work_off(run, Counting({"history/test-0": EndpointRefused("400")}))
    assert not Score.objects.filter(response__state="failed").exists()
    assert unscored(run).count() == 0


def test_every_method_has_words() -> None:
    assert set(METHODS) == set(SCORERS)
