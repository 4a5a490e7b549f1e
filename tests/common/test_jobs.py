"""Jobs: every move between states, one runner, cancelling, interrupting, failing, and coming back."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from celery.worker import state as worker_state
from django.db import connections
from django.utils import timezone
from kombu.exceptions import OperationalError

from common import jobs
from common.db import move
from common.enums import JOB_TRANSITIONS, JobState
from common.errors import DomainError
from common.models import Job, WorkerBeat
from tests.factories import JobFactory

NOW = timezone.now()
PAIRS = [(source, target) for source in JobState for target in JobState]


class Refused(DomainError):
    code = "refused_here"
    detail = "The file of %(name)s can't be read."


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the jobs for which a message went out."""
    numbers: list[int] = []
    jobs.register_kind("import", task="annotation.tasks.run_import")

    def send_task(_name: str, args: list[int], **_options: Any) -> None:
        numbers.append(args[0])

    monkeypatch.setattr(current_app, "send_task", send_task)
    return numbers


@pytest.fixture
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def stopping_worker() -> Iterator[None]:
    worker_state.should_stop = 0
    yield
    worker_state.should_stop = None


def running(**fields: Any) -> Job:
    name = f"{socket.gethostname()}/{os.getpid()}"
    given = {"state": JobState.RUNNING, "worker": name, "heartbeat_at": timezone.now()}
    return JobFactory(**(given | fields))


def state_of(job: Job) -> str:
    job.refresh_from_db()
    return job.state


@pytest.mark.django_db
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_move_between_two_states_happens_only_if_the_table_allows_it(
    source: JobState, target: JobState
) -> None:
    job = JobFactory(state=source)
    rows = Job.objects.filter(pk=job.pk)

    if target in JOB_TRANSITIONS[source]:
        assert move(rows, to=target, transitions=JOB_TRANSITIONS, refusal=Refused) == 1
        assert state_of(job) == target
    else:
        with pytest.raises(Refused):
            move(rows, to=target, transitions=JOB_TRANSITIONS, refusal=Refused)
        assert state_of(job) == source


@pytest.mark.django_db
@pytest.mark.parametrize("state", JobState)
def test_requeue_takes_only_jobs_that_may_go_back(state: JobState, sent: list[int]) -> None:
    job = running(state=state, error="old", error_code="old", finished_at=NOW)

    if JobState.QUEUED in JOB_TRANSITIONS[state]:
        jobs.requeue_job(job=job, now=NOW)
        assert (state_of(job), job.error, job.finished_at) == (JobState.QUEUED, "", None)
    else:
        with pytest.raises(jobs.JobNotRunnable):
            jobs.requeue_job(job=job, now=NOW)
        assert state_of(job) == state


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "after"),
    [(JobState.QUEUED, JobState.CANCELLED), (JobState.RUNNING, JobState.RUNNING)],
)
def test_cancel_ends_a_waiting_job_and_asks_a_running_one(state: JobState, after: JobState) -> None:
    job = running(state=state)

    jobs.cancel_job(job=job, now=NOW)

    assert (state_of(job), job.cancel_requested_at) == (after, NOW)


@pytest.mark.django_db
@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_cancel_of_an_ended_job_is_refused_in_words(state: JobState) -> None:
    job = running(state=state)

    with pytest.raises(jobs.JobNotCancellable) as refusal:
        jobs.cancel_job(job=job, now=NOW)

    assert str(refusal.value) == "This job has already ended."
    assert state_of(job) == state


@pytest.mark.django_db(transaction=True)
def test_created_job_wakes_a_worker_when_its_transaction_commits(sent: list[int]) -> None:
    jobs.register_kind("testing", task="no.such.task")

    job = jobs.create_job(kind="testing", scope="ti", params={}, requested_by="x", now=NOW)

    assert sent == [job.pk]


@pytest.mark.django_db
def test_job_stays_queued_when_the_broker_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def send_task(*_: Any, **__: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", send_task)
    jobs.register_kind("import", task="annotation.tasks.run_import")
    job = JobFactory(kind="import")

    jobs.wake_worker(job)

    assert state_of(job) == JobState.QUEUED


@pytest.mark.django_db
def test_run_records_the_result_and_counts_all_as_done() -> None:
    job = JobFactory()

    def work(_job: Job, progress: jobs.Progress) -> dict[str, Any]:
        progress.start(7, note="reading")
        progress.reach(3)
        return {"found": 3}

    ended = jobs.run_now(job, work)

    assert (ended.state, ended.result, ended.done, ended.total) == (
        JobState.DONE,
        {"found": 3},
        7,
        7,
    )
    assert (ended.note, ended.worker) == ("reading", jobs.worker_name())
    assert ended.finished_at is not None


@pytest.mark.django_db
def test_run_of_a_refused_work_fails_in_its_words() -> None:
    def work(_job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        raise Refused(name="a.csv")

    ended = jobs.run_now(JobFactory(), work)

    assert (ended.state, ended.error_code) == (JobState.FAILED, "refused_here")
    assert ended.error == "The file of a.csv can't be read."


@pytest.mark.django_db
def test_run_of_a_broken_work_fails_in_words_and_raises_for_the_log() -> None:
    job = JobFactory()

    def work(_job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        raise ZeroDivisionError("secret detail")

    with pytest.raises(ZeroDivisionError):
        jobs.run_job(job.pk, work)

    assert (state_of(job), job.error_code) == (JobState.FAILED, "internal")
    assert "ZeroDivisionError" in job.error
    assert "secret detail" not in job.error


@pytest.mark.django_db
def test_run_stops_at_the_next_check_when_cancelled() -> None:
    job = JobFactory()

    def work(running_job: Job, progress: jobs.Progress) -> dict[str, Any]:
        jobs.cancel_job(job=running_job, now=NOW)
        progress.check()
        raise AssertionError("went on after it was cancelled")

    assert jobs.run_now(job, work).state == JobState.CANCELLED


@pytest.mark.django_db
def test_run_interrupted_by_the_worker_goes_back_to_the_queue(stopping_worker: None) -> None:
    def work(_job: Job, progress: jobs.Progress) -> dict[str, Any]:
        progress.reach(5)
        raise AssertionError("went on while the worker stops")

    ended = jobs.run_now(JobFactory(), work)

    assert (ended.state, ended.finished_at, ended.done) == (JobState.QUEUED, None, 5)


@pytest.mark.django_db
@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_repeated_message_for_an_ended_job_does_nothing(state: JobState) -> None:
    job = running(state=state)

    jobs.run_job(job.pk, _never)

    assert state_of(job) == state


@pytest.mark.django_db
def test_message_for_a_job_that_is_not_there_does_nothing() -> None:
    jobs.run_job(123456, _never)

    assert not Job.objects.exists()


@pytest.mark.django_db
def test_message_for_a_job_that_runs_elsewhere_does_nothing() -> None:
    job = running(worker="another-host/1")

    jobs.run_job(job.pk, _never)

    assert (state_of(job), job.worker) == (JobState.RUNNING, "another-host/1")


@pytest.mark.django_db(transaction=True)
def test_job_runs_once_under_two_workers() -> None:
    job = JobFactory()
    barrier = threading.Barrier(2)
    runs: list[str] = []

    def work(_job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        runs.append(threading.current_thread().name)
        return {}

    def worker() -> None:
        barrier.wait()
        jobs.run_job(job.pk, work)
        connections.close_all()

    _in_threads(worker, worker)

    assert len(runs) == 1
    assert state_of(job) == JobState.DONE


@pytest.mark.django_db(transaction=True)
def test_lost_job_is_taken_up_once_by_two_workers(dead_pid: int) -> None:
    job = running(worker=f"{socket.gethostname()}/{dead_pid}")
    barrier = threading.Barrier(2)
    runs: list[int] = []

    def work(_job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        runs.append(1)
        return {}

    def worker() -> None:
        barrier.wait()
        jobs.run_job(job.pk, work)
        connections.close_all()

    _in_threads(worker, worker)

    assert len(runs) == 1
    assert state_of(job) == JobState.DONE


@pytest.mark.django_db
def test_reaper_takes_back_a_job_of_a_dead_process_on_this_host(
    dead_pid: int, sent: list[int]
) -> None:
    job = running(worker=f"{socket.gethostname()}/{dead_pid}")

    assert jobs.reap_jobs(now=timezone.now()) == 1

    assert (state_of(job), sent) == (JobState.QUEUED, [job.pk])


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
    worker: str, seconds: int, is_lost: bool, sent: list[int], settings: Any
) -> None:
    settings.JOB_STALE_SECONDS = 30
    now = timezone.now()
    job = running(worker=worker, heartbeat_at=now - timedelta(seconds=seconds))

    jobs.reap_jobs(now=now)

    assert state_of(job) == (JobState.QUEUED if is_lost else JobState.RUNNING)
    assert sent == ([job.pk] if is_lost else [])


@pytest.mark.django_db
def test_reaper_sends_a_lost_message_again_but_not_every_time(sent: list[int]) -> None:
    now = timezone.now()
    old = JobFactory(queued_at=now - timedelta(seconds=jobs.QUIET_SECONDS + 1))
    JobFactory(queued_at=now)

    assert jobs.reap_jobs(now=now) == 1
    assert jobs.reap_jobs(now=now + timedelta(seconds=5)) == 0

    assert sent == [old.pk]


@pytest.mark.django_db
def test_reaper_leaves_kinds_that_it_does_not_know_to_others(sent: list[int]) -> None:
    JobFactory(kind="of tomorrow", queued_at=timezone.now() - timedelta(hours=1))

    assert jobs.reap_jobs(now=timezone.now()) == 0

    assert sent == []


@pytest.mark.django_db
def test_job_that_a_reaper_took_back_is_not_ended_by_its_first_worker() -> None:
    job = JobFactory()

    def work(running_job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        Job.objects.filter(pk=running_job.pk).update(state=JobState.QUEUED)
        return {"late": True}

    assert jobs.run_now(job, work).state == JobState.QUEUED
    assert job.result == {}


def fail_in_words() -> None:
    raise Refused(name="a.csv")


def be_interrupted() -> None:
    raise jobs.JobInterrupted


def be_cancelled() -> None:
    raise jobs.JobCancelled


def end_well() -> None:
    pass


@pytest.mark.django_db
@pytest.mark.parametrize("end", [end_well, fail_in_words, be_interrupted, be_cancelled])
def test_worker_that_lost_its_job_leaves_the_row_to_the_one_that_took_it(
    end: Callable[[], None],
) -> None:
    beat = timezone.now() - timedelta(seconds=20)
    taken = {"worker": "elsewhere/7", "total": 9, "done": 3, "note": "theirs", "heartbeat_at": beat}

    def work(job: Job, progress: jobs.Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(**taken)
        progress.say("mine")
        end()
        return {"late": True}

    ended = jobs.run_now(JobFactory(), work)

    assert ended.state == JobState.RUNNING
    assert {name: getattr(ended, name) for name in taken} == taken
    assert (ended.result, ended.error_code, ended.finished_at) == ({}, "", None)


@pytest.mark.django_db
def test_worker_that_lost_its_job_stops_at_its_next_check() -> None:
    def work(job: Job, progress: jobs.Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(worker="elsewhere/7")
        progress.check()
        raise AssertionError("went on with a job that another worker has")

    assert jobs.run_now(JobFactory(), work).state == JobState.RUNNING


@pytest.mark.django_db(transaction=True)
def test_worker_that_lost_its_job_no_longer_beats_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)
    beat = timezone.now() - timedelta(seconds=20)

    def work(job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(worker="elsewhere/7", heartbeat_at=beat)
        time.sleep(0.3)
        return {}

    assert jobs.run_now(JobFactory(), work).heartbeat_at == beat


@pytest.mark.django_db(transaction=True)
def test_worker_beats_for_a_job_that_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)
    beat, seen = timezone.now() - timedelta(seconds=20), []

    def work(job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(heartbeat_at=beat)
        time.sleep(0.3)
        seen.append(Job.objects.get(pk=job.pk).heartbeat_at)
        return {}

    jobs.run_now(JobFactory(), work)

    assert seen[0] > beat


@pytest.mark.django_db
def test_worker_is_alive_while_it_beats(settings: Any) -> None:
    settings.JOB_STALE_SECONDS = 30
    now = timezone.now()
    assert not jobs.is_worker_alive(now=now)

    jobs.record_beat(name="host/1", now=now - timedelta(seconds=29))
    assert jobs.is_worker_alive(now=now)
    assert not jobs.is_worker_alive(now=now + timedelta(seconds=2))


@pytest.mark.django_db
def test_beats_of_yesterday_are_forgotten() -> None:
    now = timezone.now()
    jobs.record_beat(name="old/1", now=now - timedelta(days=2))

    jobs.record_beat(name="new/1", now=now)

    assert list(WorkerBeat.objects.values_list("name", flat=True)) == ["new/1"]


@pytest.mark.parametrize(
    ("total", "done", "percent", "seconds"),
    [(0, 0, None, None), (10, 0, 0, None), (10, 5, 50, 60), (10, 10, 100, None)],
)
def test_pace_tells_percent_and_seconds_left(
    total: int, done: int, percent: int | None, seconds: int | None
) -> None:
    job = JobFactory.build(
        state="running", total=total, done=done, clock_at=NOW - timedelta(seconds=60)
    )

    assert (job.percent, job.seconds_left(NOW)) == (percent, seconds)


def test_pace_of_a_job_taken_up_again_leaves_out_what_was_done_and_the_time_between() -> None:
    job = JobFactory.build(
        state="running",
        total=100,
        done=60,
        started_at=NOW - timedelta(days=2),
        clock_at=NOW - timedelta(seconds=10),
        clock_done=50,
    )

    assert job.seconds_left(NOW) == 40


def test_pace_of_the_first_moment_is_not_told() -> None:
    job = JobFactory.build(state="running", total=500, done=1, clock_at=NOW - timedelta(seconds=1))

    assert job.seconds_left(NOW) is None
    assert job.seconds_left(NOW + timedelta(seconds=1)) == 998


@pytest.mark.django_db
def test_pace_is_not_known_until_the_work_has_started_its_clock() -> None:
    job = JobFactory(state="running", total=10, done=5)
    progress = jobs.Progress(job.pk)

    def left() -> int | None:
        job.refresh_from_db()
        return job.seconds_left(timezone.now() + timedelta(seconds=30))

    assert left() is None
    progress.start(10, done=4)
    progress.reach(5)
    assert left() == 150
    progress.hold("loading")
    assert (left(), job.note, job.done) == (None, "loading", 5)
    progress.start(10, done=5)
    assert left() is None
    job.state = "queued"
    job.save()
    assert left() is None


@pytest.mark.django_db
def test_job_taken_again_has_no_pace_from_before() -> None:
    job = JobFactory(state="queued", total=10, done=5, clock_at=NOW - timedelta(days=1))
    seen: list[Job] = []

    def look(job: Job, _progress: jobs.Progress) -> dict[str, Any]:
        seen.append(Job.objects.get(pk=job.pk))
        return {}

    jobs.run_now(job, look)
    assert seen[0].clock_at is None


def _never(_job: Job, _progress: jobs.Progress) -> dict[str, Any]:
    raise AssertionError("the work was done again")


def _in_threads(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
