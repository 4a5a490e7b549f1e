"""After a method's upgrade: figures count one version, and say what it has not read."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.providers.base import EndpointUnreachable
from evaluation import request_building
from evaluation.models import Run, Score
from evaluation.results import actions as scores_module
from evaluation.results.actions import (
    AnswersBeingRead,
    ScoresUpToDate,
    score_rows,
    start_scoring,
    unscored,
    update_headline,
    with_texts,
)
from evaluation.results.csv_files import results_csv
from evaluation.results.queries import figures as results_module
from evaluation.results.queries.figures import Coverage, counted_version, run_results
from evaluation.runs.actions import resume_run
from evaluation.selectors import get_run
from jobs.actions import cancel_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import JobCancelled
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from scoring.scorers import SCORERS
from tests.commands import printed
from tests.evaluation.builders import NOW, finished_run, make_release, make_run, work_off
from tests.evaluation.runs.test_actions import Counting

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]


def upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a Lotsawa in which `direct` is at version 2."""
    newer: dict[str, Any] = {**SCORERS, "direct": replace(SCORERS["direct"], version="2")}
    for module in (request_building, scores_module, results_module):
        monkeypatch.setattr(module, "SCORERS", newer)


@pytest.fixture
def half_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """15 answers that version 1 has read; version 2 was stopped after 2 of them."""
    release = make_release(project, subjects={"a": "X", "b": "X", "c": "Y"}, tests=5)
    run = finished_run(project, release=release, methods=("direct",))
    upgrade(monkeypatch)
    score_rows(run, with_texts(run.responses.order_by("pk"))[:2], {})
    return get_run(run.pk)


@pytest.mark.parametrize(
    ("read", "counted"),
    [
        ({1: 15}, 1),
        ({1: 15, 2: 2}, 1),
        ({1: 13, 2: 2}, 1),
        ({1: 15, 2: 15}, 2),
        ({1: 15, 2: 17}, 2),
        ({1: 15, 2: 3, 3: 4}, 1),
    ],
)
def test_counted_version_is_the_newest_that_has_read_the_most(
    read: dict[int, int], counted: int
) -> None:
    assert counted_version(read) == counted


def test_version_that_has_read_two_answers_does_not_replace_the_one_that_has_read_all(
    half_read: Run,
) -> None:
    results = run_results(half_read)

    (metrics,) = results.methods
    assert (metrics.version, metrics.summary.overall.tally.n) == ("1", 15)
    assert [one.subject for one in metrics.summary.subjects] == ["a", "b", "c"]
    assert results.gaps == results.coverage == (Coverage("direct", 15, 1, 15, 2, 2),)


def test_half_read_run_says_so_on_page_api_csv_and_command(
    half_read: Run, member: Member, browser_of: Browser
) -> None:
    message = (
        "Direct: version 2 has scored 2 of 15 answers."
        " The figures are from version 1, which has scored them all."
    )
    manager = member(Role.MANAGER)
    url = reverse("evaluation:run", args=["ti", half_read.pk])
    body = browser_of(manager).get(url).content.decode()
    assert message in body
    assert reverse("evaluation:score", args=["ti", half_read.pk]) in body
    seen = browser_of(member(Role.VIEWER)).get(url).content.decode()
    assert message in seen
    assert reverse("evaluation:score", args=["ti", half_read.pk]) not in seen

    api = APIClient()
    api.force_authenticate(manager)
    assert api.get(f"/api/v1/runs/{half_read.pk}/").json()["results"]["coverage"] == [
        {
            "method": "direct", "is_complete": False, "answers": 15, "version": "1", "read": 15,
            "newest_version": "2", "newest_read": 2,
        }
    ]  # fmt: skip

    rows = list(csv.DictReader(io.StringIO(results_csv(run_results(half_read)).lstrip("\ufeff"))))
    assert [row["level"] for row in rows] == ["overall", *["category"] * 2, *["subject"] * 3]
    assert {
        (row["version"], row["newest_version"], row["answers_read"], row["answers"]) for row in rows
    } == {("1", "2", "15", "15")}
    assert {row["interval_method"] for row in rows} == {"wilson_effective_n"}


def test_version_that_misses_answers_says_how_many_it_has_read(half_read: Run) -> None:
    late = half_read.responses.order_by("-pk")[:2]
    Score.objects.filter(version=1, response__in=[one.pk for one in late]).delete()
    (gap,) = run_results(half_read).gaps
    assert (gap.version, gap.read, gap.unread) == (1, 13, 2)


def test_resumed_run_reads_every_answer_with_the_new_version_before_it_asks(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(project, make_release(project, tests=5), methods=("direct",), concurrency=1)
    dead = EndpointUnreachable("no route")
    failing = {f"physics/test-{number}": dead for number in range(5)}
    assert work_off(run, Counting(failing)).state == JobState.FAILED
    upgrade(monkeypatch)

    resume_run(run=run, actor=None, now=NOW)
    assert work_off(run, Counting(failing)).state == JobState.FAILED

    (metrics,) = run_results(run).methods
    assert (metrics.version, metrics.summary.overall.tally.n) == ("2", 5)
    assert run_results(run).gaps == ()


def test_start_scoring_reads_what_is_left_and_asks_nothing(half_read: Run) -> None:
    job = start_scoring(run=half_read, actor=None, now=NOW)
    job = run_now(job)

    assert (job.state, job.result) == ("done", {"run": half_read.pk, "read": 13})
    (metrics,) = run_results(half_read).methods
    assert (metrics.version, metrics.summary.overall.tally.n) == ("2", 15)
    assert Run.objects.get().scoring_job == job
    with pytest.raises(ScoresUpToDate):
        start_scoring(run=half_read, actor=None, now=NOW)


def test_start_scoring_of_a_run_that_stopped_leaves_its_open_questions_alone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(project, make_release(project, tests=5), methods=("direct",), concurrency=1)
    dead = EndpointUnreachable("no route")
    work_off(run, Counting({f"physics/test-{number}": dead for number in range(5)}))
    upgrade(monkeypatch)

    job = run_now(start_scoring(run=run, actor=None, now=NOW))

    assert job.result == {"run": run.pk, "read": 5}
    assert run_results(run).answered == 5
    assert get_run(run.pk).job.state == JobState.FAILED


def test_start_scoring_while_the_run_or_another_scoring_waits_is_refused(half_read: Run) -> None:
    Job.objects.filter(pk=half_read.job_id).update(state=JobState.RUNNING)
    with pytest.raises(AnswersBeingRead):
        start_scoring(run=half_read, actor=None, now=NOW)
    Job.objects.filter(pk=half_read.job_id).update(state=JobState.DONE)
    start_scoring(run=half_read, actor=None, now=NOW)
    with pytest.raises(AnswersBeingRead):
        start_scoring(run=half_read, actor=None, now=NOW)


def test_scoring_that_is_stopped_goes_on_with_the_rest(
    half_read: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores_module, "BATCH", 5)
    job = start_scoring(run=half_read, actor=None, now=NOW)

    def stop(read: int) -> None:
        raise JobCancelled

    with pytest.raises(JobCancelled):
        scores_module.score_missing(run=half_read, when_read=stop)
    cancel_job(job=job, actor=None, now=NOW)
    assert unscored(half_read).count() == 8

    again = run_now(start_scoring(run=half_read, actor=None, now=NOW))
    assert (again.state, again.result["read"]) == ("done", 8)


def test_score_runs_reads_the_answers_of_every_run(half_read: Run) -> None:
    assert printed("score_runs", "ti") == {"read": [half_read.pk], "underway": [], "unfit": []}
    assert printed("score_runs") == {"read": [], "underway": [], "unfit": []}
    assert run_results(half_read).gaps == ()


def test_page_queues_the_scoring_and_shows_its_progress(
    half_read: Run, member: Member, browser_of: Browser
) -> None:
    manager = browser_of(member(Role.MANAGER))
    url = reverse("evaluation:run", args=["ti", half_read.pk])
    response = manager.post(reverse("evaluation:score", args=["ti", half_read.pk]))
    assert response["Location"] == url

    job_url = reverse("evaluation:scoring-job", args=["ti", half_read.pk])
    assert job_url in manager.get(url).content.decode()
    waiting = manager.get(job_url, headers={"HX-Request": "true"})
    assert "Scoring the stored answers" in waiting.content.decode()
    job = Run.objects.get().scoring_job
    assert job is not None
    run_now(job)
    assert manager.get(job_url, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "The figures are not up to date." not in manager.get(url).content.decode()


def test_headline_of_a_run_equals_its_figures(half_read: Run) -> None:
    overall = run_results(half_read).methods[0].summary.overall
    assert (half_read.headline_method, half_read.headline_read) == ("direct", 15)
    assert half_read.headline_accuracy == overall.item_weighted.accuracy

    Run.objects.update(headline_right=0, headline_read=0, headline_method="")
    update_headline(half_read)
    found = get_run(half_read.pk)
    assert (found.headline_method, found.headline_read, found.headline_right) == (
        "direct", 15, overall.tally.correct,
    )  # fmt: skip


def test_run_that_fails_keeps_the_headline_of_what_it_has(project: Project) -> None:
    run = make_run(project, make_release(project, tests=5), methods=("direct",), concurrency=1)
    dead = EndpointUnreachable("no route")
    work_off(run, Counting({f"physics/test-{number}": dead for number in range(5)}))
    assert get_run(run.pk).headline_read == 5
