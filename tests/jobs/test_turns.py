"""Turns of projects at the workers for calls: when a job gives way, and what a message stands for."""

from typing import Any

import pytest

from jobs import tasks
from jobs.enums import JobState, Queue
from jobs.models import Job
from jobs.progress import Progress
from jobs.turns import Turn
from jobs.worker import run_job, run_now
from tests.factories import JobFactory
from tests.jobs.conftest import Declare, running, state_of

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_call_gives_way_only_to_a_scope_with_fewer_running_calls(
    declare: Declare, settings: Any
) -> None:
    settings.JOB_TURN_SECONDS = 0
    declare(name="calling", queue=Queue.CALLS)
    declare(queue=Queue.DEFAULT)
    mine = running(kind="calling", scope="mine")
    assert not Turn(mine).is_over()

    JobFactory(kind="calling", scope="mine")
    JobFactory(kind="testing", scope="other")
    assert not Turn(mine).is_over()

    JobFactory(kind="calling", scope="other")
    assert Turn(mine).is_over()
    assert not Turn(running(kind="testing", scope="mine")).is_over()
    running(kind="calling", scope="other")
    assert not Turn(mine).is_over()


def test_turn_begins_with_the_first_look(declare: Declare, settings: Any) -> None:
    declare(name="calling", queue=Queue.CALLS)
    mine = running(kind="calling", scope="mine")
    JobFactory(kind="calling", scope="other")
    turn = Turn(mine)
    assert not turn.is_over()
    settings.JOB_TURN_SECONDS = 0
    assert not turn.is_over()


def test_job_whose_turn_is_over_goes_to_the_end_of_the_queue(
    declare: Declare, sent: list[tuple[int, str]], settings: Any
) -> None:
    settings.JOB_TURN_SECONDS = 0
    declare(name="calling", queue=Queue.CALLS)
    job = JobFactory(kind="calling", scope="mine")
    other = JobFactory(kind="calling", scope="other")

    def work(_job: Job, progress: Progress) -> dict[str, Any]:
        progress.check_turn()
        return {}

    assert run_job(job.pk, work)

    assert (state_of(job), job.crash_count) == (JobState.QUEUED, 0)
    assert job.queued_at > other.queued_at
    assert sent == [(job.pk, "calls")]


def test_job_that_a_command_waits_for_gives_way_to_nobody(declare: Declare, settings: Any) -> None:
    settings.JOB_TURN_SECONDS = 0
    declare(name="calling", queue=Queue.CALLS)
    JobFactory(kind="calling", scope="other")

    def work(_job: Job, progress: Progress) -> dict[str, Any]:
        progress.check_turn()
        return {}

    assert run_now(JobFactory(kind="calling", scope="mine"), work).state == JobState.DONE


def test_message_for_calls_serves_the_project_whose_turn_it_is(declare: Declare) -> None:
    declare(name="calling", queue=Queue.CALLS)
    declare()
    greedy = [JobFactory(kind="calling", scope="greedy") for _each in range(2)]
    running(kind="calling", scope="greedy")
    modest = JobFactory(kind="calling", scope="modest")
    plain = JobFactory(kind="testing", scope="greedy")

    tasks.run(greedy[0].pk)
    assert [state_of(each) for each in (*greedy, modest)] == ["queued", "queued", "done"]

    tasks.run(modest.pk)
    assert [state_of(each) for each in greedy] == ["done", "queued"]

    tasks.run(plain.pk)
    assert [state_of(plain), state_of(greedy[1])] == ["done", "queued"]
