"""The reaper: lost jobs go back to the queue, a few times; lost messages are sent again."""

import os
import socket
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from jobs.enums import JobState, Queue
from jobs.models import Job, WorkerBeat
from jobs.queries import is_worker_alive, queues_without_worker
from jobs.reaper import QUIET_SECONDS, forget_worker, reap_jobs, record_beat, send_again
from tests.factories import JobFactory
from tests.jobs.conftest import Declare, running, state_of

pytestmark = pytest.mark.both_databases

Sent = list[tuple[int, str]]


@pytest.mark.django_db
def test_reaper_takes_back_a_job_of_a_dead_process_on_this_host(
    dead_worker: str, sent: Sent
) -> None:
    job = running(worker=dead_worker)

    reap_jobs(now=timezone.now())

    assert (state_of(job), sent) == (JobState.QUEUED, [(job.pk, "default")])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("worker", "seconds", "is_lost"),
    [
        ("elsewhere/1", 29, False),
        ("elsewhere/1", 31, True),
        (f"{socket.gethostname()}/{os.getpid()}", 31, False),
        (f"{socket.gethostname()}/{os.getpid()}", 121, True),
        ("", 31, True),
    ],
    ids=["elsewhere", "elsewhere-silent", "here", "here-silent-long", "nameless"],
)
def test_silent_worker_loses_its_job_later_if_its_process_is_there(
    worker: str, seconds: int, is_lost: bool, sent: Sent, settings: Any
) -> None:
    settings.JOB_STALE_SECONDS = 30
    now = timezone.now()
    job = running(worker=worker, heartbeat_at=now - timedelta(seconds=seconds))

    reap_jobs(now=now)

    assert state_of(job) == (JobState.QUEUED if is_lost else JobState.RUNNING)
    assert sent == ([(job.pk, "default")] if is_lost else [])


@pytest.mark.django_db
def test_reaper_sends_a_lost_message_again_but_not_every_time(sent: Sent) -> None:
    now = timezone.now()
    old = JobFactory(queued_at=now - timedelta(seconds=QUIET_SECONDS + 1))
    JobFactory(queued_at=now)

    assert send_again(now=now) == 1
    assert send_again(now=now + timedelta(seconds=5)) == 0

    assert sent == [(old.pk, "default")]


@pytest.mark.django_db
def test_reaper_leaves_kinds_that_it_does_not_know_to_others(sent: Sent) -> None:
    JobFactory(kind="of tomorrow", queued_at=timezone.now() - timedelta(hours=1))

    reap_jobs(now=timezone.now())

    assert sent == []


@pytest.mark.django_db
def test_worker_is_alive_while_it_beats(settings: Any) -> None:
    settings.JOB_STALE_SECONDS = 30
    now = timezone.now()
    assert not is_worker_alive(now=now)

    record_beat(name="host/1", now=now - timedelta(seconds=29))
    assert is_worker_alive(now=now)
    assert not is_worker_alive(now=now + timedelta(seconds=2))


@pytest.mark.django_db
def test_worker_is_alive_for_its_queues_alone() -> None:
    now = timezone.now()
    record_beat(name="elsewhere/1", now=now, queues=[Queue.DEFAULT, Queue.EMBED])
    assert is_worker_alive(now=now, queue=Queue.EMBED)
    assert queues_without_worker(now=now) == [
        Queue.SUBMISSIONS,
        Queue.SUBMISSION_CALLS,
        Queue.CALLS,
    ]

    record_beat(name="elsewhere/2", now=now)
    assert queues_without_worker(now=now) == []


@pytest.mark.django_db
def test_beats_of_yesterday_are_forgotten() -> None:
    now = timezone.now()
    record_beat(name="old/1", now=now - timedelta(days=2))

    record_beat(name="new/1", now=now)

    assert list(WorkerBeat.objects.values_list("name", flat=True)) == ["new/1"]


@pytest.mark.django_db
def test_job_whose_workers_die_fails_in_words_after_its_attempts(
    dead_worker: str, declare: Declare, sent: Sent
) -> None:
    stopped: list[int] = []
    declare(attempts=3, on_stop=lambda job: stopped.append(job.pk))
    job = JobFactory(kind="testing")
    states = []

    for _death in range(3):
        Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, worker=dead_worker)
        reap_jobs(now=timezone.now())
        states.append(state_of(job))

    assert states == [JobState.QUEUED, JobState.QUEUED, JobState.FAILED]
    assert (job.error_code, job.crash_count, stopped) == ("worker_died", 3, [job.pk])
    assert job.error.startswith("The worker stopped without warning 3 times")
    assert job.finished_at is not None


@pytest.mark.django_db
def test_lost_job_that_somebody_wants_to_end_is_cancelled_not_run_again(
    dead_worker: str, declare: Declare, sent: Sent
) -> None:
    stopped: list[int] = []
    declare(on_stop=lambda job: stopped.append(job.pk))
    job = running(kind="testing", worker=dead_worker, cancel_requested_at=timezone.now())

    reap_jobs(now=timezone.now())

    assert (state_of(job), stopped, sent) == (JobState.CANCELLED, [job.pk], [])


@pytest.mark.django_db
def test_worker_whose_process_is_gone_is_not_alive_however_lately_it_beat(dead_worker: str) -> None:
    now = timezone.now()
    record_beat(name=dead_worker, now=now)
    assert not is_worker_alive(now=now)

    record_beat(name="another-host/1", now=now)
    assert is_worker_alive(now=now)

    forget_worker("another-host/1")
    assert not is_worker_alive(now=now)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (Job.objects.filter(state=JobState.RUNNING), "job_state_"),
        (
            Job.objects.filter(
                state=JobState.QUEUED, queued_at__lte=timezone.now(), kind__in=["import"]
            ),
            "job_state_queued",
        ),
        (
            Job.objects.filter(state=JobState.QUEUED, kind__in=["import"]).order_by(
                "queued_at", "pk"
            )[:1],
            "job_state_queued",
        ),
        (Job.objects.filter(scope="ti").order_by("-pk")[:50], "job_scope_newest"),
    ],
)
def test_jobs_are_found_by_an_index_not_by_reading_all_that_ever_ran(rows: Any, index: str) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL reads a table of few rows whole, whatever its indexes")

    plan = rows.explain()

    assert f"USING INDEX {index}" in plan
    assert "SCAN" not in plan
