"""The worker without a broker: which job it takes next, and what it survives."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from jobs import polling, stopping
from jobs.enums import JobState, Queue
from jobs.models import Job
from jobs.polling import do_next_job, work_until_stopped
from jobs.queries import next_job
from tests.factories import JobFactory
from tests.jobs.conftest import Declare, running, state_of

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
NOW = timezone.now()


def test_next_job_is_the_one_that_has_waited_longest_in_the_queues_of_the_worker(
    declare: Declare,
) -> None:
    declare()
    declare(name="calling", queue=Queue.CALLS)
    later = JobFactory(kind="testing", queued_at=NOW)
    first = JobFactory(kind="testing", queued_at=NOW - timedelta(seconds=1))
    call = JobFactory(kind="calling", queued_at=NOW - timedelta(days=1))
    JobFactory(kind="of tomorrow", queued_at=NOW - timedelta(days=2))
    running(kind="testing", queued_at=NOW - timedelta(days=3))

    assert next_job([Queue.DEFAULT, Queue.EMBED]) == first.pk
    assert next_job([Queue.CALLS]) == call.pk
    assert next_job([Queue.EMBED]) is None
    Job.objects.filter(pk=first.pk).update(state=JobState.DONE)
    assert next_job(list(Queue)[:1]) == later.pk


def test_projects_take_turns_with_calls(declare: Declare) -> None:
    declare(name="calling", queue=Queue.CALLS)

    def waiting(scope: str, minutes: int) -> Job:
        at = NOW - timedelta(minutes=minutes)
        return JobFactory(kind="calling", scope=scope, queued_at=at)

    greedy = [waiting("greedy", minutes) for minutes in (90, 80, 70)]
    modest, new = waiting("modest", 60), waiting("new", 50)
    running(kind="calling", scope="greedy", started_at=NOW - timedelta(hours=3))
    ended = NOW - timedelta(hours=1)
    JobFactory(kind="calling", scope="modest", state=JobState.DONE, started_at=ended)

    taken = []
    for _turn in range(5):
        pk = next_job([Queue.CALLS, Queue.DEFAULT])
        taken.append(pk)
        later = NOW + timedelta(seconds=len(taken))
        Job.objects.filter(pk=pk).update(state=JobState.RUNNING, started_at=later)

    # None runs of "new" and "modest", and "modest" was served; then each has one running, and so on.
    assert taken == [new.pk, modest.pk, greedy[0].pk, greedy[1].pk, greedy[2].pk]


def test_other_jobs_do_not_wait_for_turns(declare: Declare) -> None:
    declare()
    declare(name="calling", queue=Queue.CALLS)
    hour = NOW - timedelta(hours=1)
    JobFactory(kind="calling", scope="a", queued_at=NOW)
    plain = JobFactory(kind="testing", scope="b", queued_at=hour)
    assert next_job([Queue.CALLS, Queue.DEFAULT]) == plain.pk


def test_worker_does_what_waits_and_says_when_nothing_does(declare: Declare) -> None:
    declare()
    job = JobFactory(kind="testing")

    assert do_next_job([Queue.DEFAULT])
    assert not do_next_job([Queue.DEFAULT])

    assert (state_of(job), job.result) == (JobState.DONE, {"done": "nothing"})


def test_worker_outlives_work_that_raises(declare: Declare) -> None:
    declare(work="tests.jobs.test_polling.fail")
    job = JobFactory(kind="testing")

    assert not do_next_job([Queue.DEFAULT])

    assert (state_of(job), job.error_code) == (JobState.FAILED, "internal")


def fail(_job: Job, _progress: Any) -> dict[str, Any]:
    raise ZeroDivisionError


def test_worker_outlives_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_queues: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(polling, "next_job", away)

    assert not do_next_job([Queue.DEFAULT])


def test_worker_looks_again_after_a_pause_until_it_is_told_to_stop(
    stopping_worker: None, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare()
    jobs: list[Job] = []

    def pause(_seconds: float) -> None:
        if jobs:
            stopping.request_stop()
        jobs.append(JobFactory(kind="testing"))

    monkeypatch.setattr(polling.time, "sleep", pause)

    work_until_stopped([Queue.DEFAULT])

    assert [state_of(job) for job in jobs] == [JobState.DONE, JobState.QUEUED]
