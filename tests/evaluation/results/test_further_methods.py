"""Stored answers can be scored by any method for the items that the run asked."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from evaluation.models import Run, Score
from evaluation.results.actions import (
    MethodsInvalid,
    ScoresUpToDate,
    further_methods,
    start_scoring,
)
from evaluation.results.queries.figures import run_results
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.commands import printed
from tests.evaluation.builders import NOW, finished_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project: Project) -> Run:
    return finished_run(project, methods=("direct",))


def test_further_method_scores_every_stored_answer_and_stays_with_the_run(run: Run) -> None:
    job = run_now(start_scoring(run=run, methods=["anchored"], actor=None, now=NOW))

    run.refresh_from_db()
    assert job.result == {"run": run.pk, "read": 6}
    assert run.methods == ["direct", "anchored"]
    assert [one.scorer.name for one in run_results(run).methods] == ["anchored", "direct"]
    assert (run.headline_method, run.headline_read) == ("anchored", 6)
    assert further_methods(run) == ["concern_all", "first_option", "tmlu", "tmlu_cot"]
    with pytest.raises(ScoresUpToDate):
        start_scoring(run=run, methods=["anchored"], actor=None, now=NOW)


def test_unknown_and_unfit_methods_are_refused_and_change_nothing(run: Run) -> None:
    for names, words in (
        (["magic"], "no method “magic”"),
        (["numeric"], "did not ask what numeric scores"),
    ):
        with pytest.raises(MethodsInvalid) as refusal:
            start_scoring(run=run, methods=names, actor=None, now=NOW)
        assert words in refusal.value.fields["methods"][0]
    run.refresh_from_db()
    assert (run.methods, Job.objects.count()) == (["direct"], 1)


def test_api_takes_methods_strictly(
    run: Run, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    api, url = api_of(member(Role.MANAGER)), f"/api/v1/runs/{run.pk}/score/"
    for body in ({"methods": ["magic"]}, {"methods": []}, {"method": ["anchored"]}):
        refused = api.post(url, body, format="json")
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    unfit = api.post(url, {"methods": ["numeric"]}, format="json")
    assert (unfit.status_code, unfit.json()["code"]) == (400, "methods_invalid")
    assert api.post(url).json()["code"] == "scores_up_to_date"

    queued = api.post(url, {"methods": ["anchored", "concern_all"]}, format="json")
    assert queued.status_code == 202
    run_now(Job.objects.get(pk=queued.json()["job"]))
    assert Score.objects.filter(run=run).values("method").distinct().count() == 3
    assert api_of(member(Role.SENIOR)).post(url, {"methods": ["anchored"]}).status_code == 403


def test_page_offers_the_further_methods(
    run: Run, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    manager = browser_of(member(Role.MANAGER))
    page = reverse("evaluation:run", args=["ti", run.pk])
    assert 'value="first_option"' in manager.get(page).content.decode()

    answer = manager.post(
        reverse("evaluation:score", args=["ti", run.pk]), {"methods": ["first_option"]}
    )

    assert answer["Location"] == page
    run.refresh_from_db()
    assert run.methods == ["direct", "first_option"]


def test_score_runs_adds_methods_and_names_the_runs_that_they_do_not_fit(run: Run) -> None:
    assert printed("score_runs", "--methods", "numeric") == {
        "read": [],
        "underway": [],
        "unfit": [run.pk],
    }
    assert printed("score_runs", "--run", str(run.pk), "--methods", "anchored")["read"] == [run.pk]
    with pytest.raises(CommandError, match="unknown method magic"):
        printed("score_runs", "--methods", "magic")
