"""Running a job: one worker at a time, and every way in which the work can end."""

import gc
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone, translation

from jobs import stopping, worker
from jobs.actions import cancel_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.processes import worker_name
from jobs.progress import JobCancelled, JobInterrupted, Progress
from jobs.reaper import QUIET_SECONDS
from jobs.worker import run_job, run_now
from tests.factories import JobFactory
from tests.jobs.conftest import Declare, Refused, running, state_of
from tests.races import until

pytestmark = pytest.mark.both_databases

NOW = timezone.now()


@pytest.mark.django_db
def test_run_records_the_result_and_counts_all_as_done() -> None:
    job = JobFactory()

    def work(_job: Job, progress: Progress) -> dict[str, Any]:
        progress.start(7, note="reading")
        progress.advance_to(3)
        return {"found": 3}

    ended = run_now(job, work)

    assert (ended.state, ended.result, ended.done, ended.total) == (
        JobState.DONE,
        {"found": 3},
        7,
        7,
    )
    assert (ended.note_code, ended.worker) == ("reading", worker_name())
    assert ended.finished_at is not None


@pytest.mark.django_db
def test_run_of_a_refused_work_fails_in_its_words() -> None:
    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        raise Refused(name="a.csv")

    ended = run_now(JobFactory(), work)

    assert (ended.state, ended.error_code) == (JobState.FAILED, "refused_here")
    assert ended.error == "The file of a.csv can't be read."


@pytest.mark.django_db
def test_run_of_a_broken_work_fails_in_words_and_raises_for_the_log() -> None:
    job = JobFactory()

    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        raise ZeroDivisionError("secret detail")

    with pytest.raises(ZeroDivisionError):
        run_job(job.pk, work)

    assert (state_of(job), job.error_code) == (JobState.FAILED, "internal")
    assert "ZeroDivisionError" in job.error
    assert "secret detail" not in job.error


@pytest.mark.django_db
def test_run_stops_at_the_next_check_when_cancelled() -> None:
    job = JobFactory()

    def work(running_job: Job, progress: Progress) -> dict[str, Any]:
        cancel_job(job=running_job, actor=None, now=NOW)
        progress.check()
        raise AssertionError("went on after it was cancelled")

    assert run_now(job, work).state == JobState.CANCELLED


@pytest.mark.django_db
def test_run_interrupted_by_the_worker_goes_back_to_the_queue(stopping_worker: None) -> None:
    def work(_job: Job, progress: Progress) -> dict[str, Any]:
        stopping.request_stop()
        progress.advance_to(5)
        raise AssertionError("went on while the worker stops")

    ended = run_now(JobFactory(), work)

    assert (ended.state, ended.finished_at, ended.done) == (JobState.QUEUED, None, 5)
    assert (ended.crash_count, ended.error_code) == (0, "")


@pytest.mark.django_db
def test_stopping_worker_takes_no_job_and_leaves_it_to_the_next_reaper(
    stopping_worker: None,
) -> None:
    stopping.request_stop()

    left = run_now(JobFactory(), _never)

    assert left.state == JobState.QUEUED
    assert left.queued_at <= timezone.now() - timedelta(seconds=QUIET_SECONDS)


@pytest.mark.django_db
@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_repeated_message_for_an_ended_job_does_nothing(state: JobState) -> None:
    job = running(state=state)

    run_job(job.pk, _never)

    assert state_of(job) == state


@pytest.mark.django_db
def test_message_for_a_job_that_is_not_there_does_nothing() -> None:
    run_job(123456, _never)

    assert not Job.objects.exists()


@pytest.mark.django_db
def test_message_for_a_job_that_runs_elsewhere_does_nothing() -> None:
    job = running(worker="another-host/1")

    run_job(job.pk, _never)

    assert (state_of(job), job.worker) == (JobState.RUNNING, "another-host/1")


@pytest.mark.django_db(transaction=True)
def test_job_runs_once_under_two_workers() -> None:
    job = JobFactory()
    barrier = threading.Barrier(2)
    runs: list[str] = []

    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        runs.append(threading.current_thread().name)
        return {}

    def worker() -> None:
        barrier.wait()
        run_job(job.pk, work)
        connections.close_all()

    _in_threads(worker, worker)

    assert len(runs) == 1
    assert state_of(job) == JobState.DONE


@pytest.mark.django_db(transaction=True)
def test_lost_job_is_taken_up_once_by_two_workers(dead_worker: str) -> None:
    job = running(worker=dead_worker)
    barrier = threading.Barrier(2)
    runs: list[int] = []

    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        runs.append(1)
        return {}

    def worker() -> None:
        barrier.wait()
        run_job(job.pk, work)
        connections.close_all()

    _in_threads(worker, worker)

    assert len(runs) == 1
    assert state_of(job) == JobState.DONE


@pytest.mark.django_db
def test_job_that_a_reaper_took_back_is_not_ended_by_its_first_worker() -> None:
    job = JobFactory()

    def work(running_job: Job, _progress: Progress) -> dict[str, Any]:
        Job.objects.filter(pk=running_job.pk).update(state=JobState.QUEUED)
        return {"late": True}

    assert run_now(job, work).state == JobState.QUEUED
    assert job.result == {}


def fail_in_words() -> None:
    raise Refused(name="a.csv")


def be_interrupted() -> None:
    raise JobInterrupted


def be_cancelled() -> None:
    raise JobCancelled


def end_well() -> None:
    pass


@pytest.mark.django_db
@pytest.mark.parametrize("end", [end_well, fail_in_words, be_interrupted, be_cancelled])
def test_worker_that_lost_its_job_leaves_the_row_to_the_one_that_took_it(
    end: Callable[[], None],
) -> None:
    beat = timezone.now() - timedelta(seconds=20)
    taken = {
        "worker": "elsewhere/7",
        "total": 9,
        "done": 3,
        "note_code": "theirs",
        "heartbeat_at": beat,
    }

    def work(job: Job, progress: Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(**taken)
        progress.set_note("mine")
        end()
        return {"late": True}

    ended = run_now(JobFactory(), work)

    assert ended.state == JobState.RUNNING
    assert {name: getattr(ended, name) for name in taken} == taken
    assert (ended.result, ended.error_code, ended.finished_at) == ({}, "", None)


@pytest.mark.django_db
def test_worker_that_lost_its_job_stops_at_its_next_check() -> None:
    def work(job: Job, progress: Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(worker="elsewhere/7")
        progress.check()
        raise AssertionError("went on with a job that another worker has")

    assert run_now(JobFactory(), work).state == JobState.RUNNING


@pytest.mark.django_db
def test_worker_that_lost_its_job_no_longer_beats_for_it() -> None:
    beat = timezone.now() - timedelta(seconds=20)

    def work(job: Job, _progress: Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(worker="elsewhere/7", heartbeat_at=beat)
        worker.beat(job.pk)
        return {}

    assert run_now(JobFactory(), work).heartbeat_at == beat


@pytest.mark.django_db(transaction=True)
def test_worker_beats_for_a_job_that_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "BEAT_SECONDS", 0.05)
    beat = timezone.now() - timedelta(seconds=20)

    def work(job: Job, _progress: Progress) -> dict[str, Any]:
        Job.objects.filter(pk=job.pk).update(heartbeat_at=beat)
        until(lambda: Job.objects.get(pk=job.pk).heartbeat_at > beat)
        return {}

    assert run_now(JobFactory(), work).state == JobState.DONE


@pytest.mark.django_db
def test_job_taken_again_has_no_pace_from_before() -> None:
    job = JobFactory(state="queued", total=10, done=5, clock_at=NOW - timedelta(days=1))
    seen: list[Job] = []

    def look(job: Job, _progress: Progress) -> dict[str, Any]:
        seen.append(Job.objects.get(pk=job.pk))
        return {}

    run_now(job, look)
    assert seen[0].clock_at is None


def _never(_job: Job, _progress: Progress) -> dict[str, Any]:
    raise AssertionError("the work was done again")


def _in_threads(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)


@pytest.mark.django_db
def test_error_is_stored_as_code_and_params_and_told_in_the_language_of_the_reader() -> None:
    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        with translation.override("bo"):
            raise Refused(name="a.csv")

    ended = run_now(JobFactory(), work)

    assert (ended.error_code, ended.error_data) == ("refused_here", {"name": "a.csv"})
    assert ended.error == "The file of a.csv can't be read."


@pytest.mark.django_db
def test_params_of_an_error_that_are_no_json_are_stored_as_text(tmp_path: Any) -> None:
    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        raise Refused(name=tmp_path)

    assert run_now(JobFactory(), work).error_data == {"name": str(tmp_path)}


@pytest.mark.django_db
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_process_that_is_told_to_end_puts_its_job_back_and_uses_up_no_attempt(
    error: type[BaseException],
) -> None:
    job = JobFactory()

    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        raise error

    with pytest.raises(error):
        run_job(job.pk, work)

    assert (state_of(job), job.crash_count) == (JobState.QUEUED, 0)


@pytest.mark.django_db
def test_interrupted_job_that_somebody_wants_to_end_is_cancelled_not_run_again() -> None:
    def work(job: Job, _progress: Progress) -> dict[str, Any]:
        cancel_job(job=job, actor=None, now=NOW)
        raise JobInterrupted

    assert run_now(JobFactory(), work).state == JobState.CANCELLED


@pytest.mark.django_db
@pytest.mark.parametrize("error", [JobCancelled(), Refused(name="x")])
def test_work_that_stops_is_tidied_up_as_its_kind_says(declare: Declare, error: Exception) -> None:
    stopped: list[int] = []
    declare(on_stop=lambda job: stopped.append(job.pk))

    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        raise error

    assert run_now(JobFactory(kind="testing"), work).pk in stopped


@pytest.mark.django_db
def test_job_runs_the_work_that_its_kind_names(declare: Declare) -> None:
    declare()

    assert run_now(JobFactory(kind="testing")).result == {"done": "nothing"}


@pytest.mark.django_db
def test_job_of_a_kind_that_this_worker_does_not_know_is_left_to_others() -> None:
    assert run_now(JobFactory(kind="of tomorrow")).state == JobState.QUEUED


@pytest.mark.django_db
def test_lost_job_that_somebody_wants_to_end_is_not_run_again(dead_worker: str) -> None:
    job = running(worker=dead_worker, cancel_requested_at=NOW)

    run_job(job.pk, _never)

    assert state_of(job) == JobState.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_beat_connects_again_after_the_database_was_restarted() -> None:
    beat = timezone.now() - timedelta(seconds=20)
    job = running(heartbeat_at=beat)
    connection.ensure_connection()
    connection.connection.close()  # as a restart of the server does, behind Django's back

    worker.beat(job.pk)  # this one is missed
    worker.beat(job.pk)

    job.refresh_from_db()
    assert job.heartbeat_at is not None and job.heartbeat_at > beat


@pytest.mark.django_db
def test_work_has_quick_garbage_collections_until_it_ends() -> None:
    left_out = []

    def work(_job: Job, _progress: Progress) -> dict[str, Any]:
        left_out.append(gc.get_freeze_count())
        return {}

    gc.unfreeze()
    try:
        run_now(JobFactory(), work)
        left_out.append(gc.get_freeze_count())
    finally:
        gc.freeze()

    assert left_out[0] > 0
    assert left_out[1] == 0
