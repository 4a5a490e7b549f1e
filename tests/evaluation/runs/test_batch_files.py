"""A held run asks by batch file: what no run has answered goes out, and answers are scored."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from endpoints.held.actions import NoBatchFile, hold_calls
from endpoints.held.actions import held_work as work_of
from endpoints.models import ModelSpec
from endpoints.providers.recorded import NullProvider
from evaluation.models import ModelResponse, Run, Score
from evaluation.results.queries.usage import usage_of
from evaluation.runs.actions import RunUnderway
from evaluation.runs.lists import file_rows
from jobs.actions import JobWaitsForFile, cancel_job, resume_job
from jobs.enums import JobState
from projects.enums import Role
from projects.models import Project
from tests.endpoints.batch_answers import answer_next_file, requests_of
from tests.evaluation.builders import make_release, make_run, work_off
from tests.factories import ModelSpecFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    return ModelSpecFactory(
        project=project, prompt_price=Decimal(1000), completion_price=Decimal(4000)
    )


def say_a(_asked: dict[str, Any]) -> str:
    return "A"


def test_answers_of_a_file_are_scored_and_cost_the_price_of_files(
    project: Project, spec: ModelSpec
) -> None:
    run = make_run(project, make_release(project, tests=2), spec=spec, is_held=True)
    assert run.job.state == JobState.HELD

    result = answer_next_file(run.job, say_a)

    run.refresh_from_db()
    assert (result["stored"], run.job.state) == (run.job.total, JobState.DONE)
    assert run.job.result["answered"] == run.job.total
    assert Score.objects.filter(run=run, method=run.headline_method).count() == run.headline_read
    price = run.job.total * Decimal("0.015")  # (10 · 1,000 + 5 · 4,000) / 10⁶ / 2
    assert usage_of(run).price == price
    rows = file_rows(Run.objects.select_related("release", "prompt_template", "job"))
    assert Decimal(next(rows)["price"]) == price


def test_what_an_earlier_run_answered_is_in_no_file_and_is_copied(
    project: Project, spec: ModelSpec
) -> None:
    release = make_release(project, tests=2)
    first = make_run(project, release, spec=spec, methods=("direct",))
    work_off(first, NullProvider(lambda request: "A", spec.endpoint.base_url))
    lost = ModelResponse.objects.filter(run=first).order_by("pk")[0]
    lost.scores.all().delete()
    lost.delete()

    run = make_run(project, release, spec=spec, methods=("concern_all",), is_held=True)

    assert len(requests_of(run.job)) == 1
    assert not ModelResponse.objects.filter(run=run).exists()
    assert answer_next_file(run.job, say_a)["state"] == "done"
    usage = usage_of(run)
    assert (usage.bought, usage.reused) == (1, run.job.total - 1)


def test_a_held_run_is_not_started_again_nor_resumed(project: Project, spec: ModelSpec) -> None:
    release = make_release(project)
    run = make_run(project, release, spec=spec, is_held=True)
    with pytest.raises(RunUnderway):
        make_run(project, release, spec=spec)
    with pytest.raises(JobWaitsForFile):
        resume_job(job=run.job, actor=None, now=timezone.now())


def test_likelihoods_are_in_no_file(project: Project, spec: ModelSpec) -> None:
    release = make_release(project)
    with pytest.raises(NoBatchFile):
        make_run(project, release, spec=spec, methods=("likelihood",), is_held=True)
    run = make_run(project, release, spec=spec, methods=("likelihood",))
    cancel_job(job=run.job, actor=None, now=timezone.now())
    with pytest.raises(NoBatchFile):
        hold_calls(work_of(run.job), actor=None, now=timezone.now())


def test_page_of_a_run_offers_the_file_and_the_way_back(
    project: Project, spec: ModelSpec, member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:  # fmt: skip
    run = make_run(project, make_release(project), spec=spec, is_held=True)
    manager = browser_of(member(Role.MANAGER))
    page = reverse("evaluation:run", args=[project.slug, run.pk])
    assert reverse("endpoints:batch-file", args=[run.job_id]) in manager.get(page).content.decode()

    sent = manager.post(reverse("endpoints:ask-directly", args=[run.job_id]))

    run.job.refresh_from_db()
    assert (sent["Location"], run.job.state) == (page, JobState.QUEUED)
