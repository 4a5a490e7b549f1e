"""Runs of several projects on one worker and one endpoint: a small one does not wait for the large."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from endpoints.providers.base import ChatReply, ChatRequest
from evaluation.models import Run
from evaluation.runs.execution import perform_run
from jobs.enums import JobState, Queue
from jobs.models import Job
from jobs.queries import next_job
from jobs.worker import run_job, run_now
from projects.models import Project
from tests.evaluation.builders import NOW, QUICK, asked_uid, make_release, make_run
from tests.factories import EndpointFactory, ModelSpecFactory, ProjectFactory

pytestmark = pytest.mark.django_db(transaction=True)
EAGER = replace(QUICK, poll_every=0.001)
LARGE, SMALL = 15, 2  # test items of each of two subjects


@dataclass
class Slow:
    """Answers A after a while, and keeps the order in which the models were asked."""

    endpoint: str = "slow"
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append((request.model, asked_uid(request)))
        await asyncio.sleep(0.02)
        return ChatReply("A", "stop", request.model)

    async def aclose(self) -> None:
        """Nothing is open."""

    def order(self) -> str:
        """The first letters of the models, in the order in which they were asked."""
        return "".join(model[0] for model, _uid in self.asked)


@pytest.fixture
def endpoint() -> Slow:
    return Slow()


@pytest.fixture
def runs(project: Project) -> list[Run]:
    """Three large runs of one project, then a small one of another, on the same endpoint."""
    large, small = make_release(project, tests=LARGE), make_release(ProjectFactory(), tests=SMALL)
    shared = EndpointFactory(project=None)
    shared.allowed_projects.set([large.project, small.project])
    wanted = [(large, "a1"), (large, "a2"), (large, "a3"), (small, "b")]
    made = [
        make_run(
            release.project,
            release,
            spec=ModelSpecFactory(project=release.project, endpoint=shared, model=model),
            concurrency=2,
        )
        for release, model in wanted
    ]
    Job.objects.filter(pk=made[-1].job_id).update(queued_at=NOW + timedelta(minutes=1))
    return made


def work_of(endpoint: Slow) -> Any:
    return partial(perform_run, connect=lambda _each: endpoint, limits=EAGER)


def work_all_off(endpoint: Slow) -> None:
    """Do what waits in the order in which one worker takes it."""
    while number := next_job([Queue.CALLS]):
        run_job(number, work_of(endpoint))


def test_small_run_of_another_project_is_not_starved_by_large_ones(
    runs: list[Run], endpoint: Slow, settings: Any
) -> None:
    settings.JOB_TURN_SECONDS = 0

    work_all_off(endpoint)

    order = endpoint.order()
    assert order[: order.rindex("b")].count("a") < 2 * LARGE  # of six times as many
    assert set(Counter(endpoint.asked).values()) == {1}
    assert (order.count("a"), order.count("b")) == (6 * LARGE, 2 * SMALL)
    for run in runs:
        run.job.refresh_from_db()
        assert (run.job.state, run.job.crash_count) == (JobState.DONE, 0)


def test_run_keeps_the_worker_until_its_turn_is_over(runs: list[Run], endpoint: Slow) -> None:
    work_all_off(endpoint)
    assert endpoint.order() == "a" * 2 * LARGE + "b" * 2 * SMALL + "a" * 4 * LARGE


def test_run_gives_way_to_no_run_of_its_own_project(
    runs: list[Run], endpoint: Slow, settings: Any
) -> None:
    settings.JOB_TURN_SECONDS = 0
    run_now(runs[-1].job, work_of(endpoint))

    work_all_off(endpoint)

    asked = [model for model, _uid in endpoint.asked]
    assert asked == sorted(asked, key=["b", "a1", "a2", "a3"].index)
