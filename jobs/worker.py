"""Runs a job: take it, beat while it works, record how it ended.

Two workers may try for one job, and a message may come twice, so the row decides: a worker
takes the job by compare-and-swap, and one that stalled and lost its job to another writes
nothing more to the row. What a job does must be keyed, so that running it twice, or on from where
it was killed, leaves the same rows.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import structlog
from django.db import Error as DatabaseFailure
from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from common.errors import DomainError
from common.processes import quick_collections
from jobs import stopping
from jobs.actions import wake_worker
from jobs.endings import JobCrashed, end_job, move_jobs
from jobs.enums import JobState
from jobs.kinds import Work, find_kind
from jobs.models import Job
from jobs.processes import worker_name
from jobs.progress import JobCancelled, JobInterrupted, Progress, TurnOver
from jobs.reaper import is_lost, long_ago, recover_job
from jobs.turns import Turn

log = structlog.get_logger(__name__)

BEAT_SECONDS = 5.0


def run_job(job_id: int, work: Work | None = None) -> bool:
    """Take the job, do its work (that of its kind unless given), record how it ended.

    Returns whether this worker had the job: not if another has it, or it has ended. A DomainError
    ends the job with its code and params; any other exception is recorded by name and raised again.
    A process that is told to end (Ctrl-C, SIGTERM) puts the job back; so does the end of its turn.
    """
    job = _take(job_id, work)
    if job is None:
        return False
    _do(job, work, Progress(job_id, worker=job.worker, is_turn_over=Turn(job).is_over))
    return True


def run_now(job: Job, work: Work | None = None) -> Job:
    """Do the job in this process, for commands that wait; return its row as it ended.

    It gives way to nobody.
    """
    if taken := _take(job.pk, work):
        _do(taken, work, Progress(job.pk, worker=taken.worker))
    job.refresh_from_db()
    return job


def _do(job: Job, work: Work | None, progress: Progress) -> None:
    try:
        with _heartbeat(job.pk), quick_collections():
            result = (work or _work_of(job))(job, progress)
    except JobCancelled:
        _end(job, JobState.CANCELLED)
    except TurnOver:
        _end_turn(job)
    except JobInterrupted:
        _put_back(job, queued_at=long_ago(timezone.now()))
    except DomainError as error:
        _end(job, JobState.FAILED, error)
    except Exception as error:
        _end(job, JobState.FAILED, JobCrashed(name=type(error).__name__))
        raise
    except BaseException:
        _put_back(job, queued_at=long_ago(timezone.now()))
        raise
    else:
        _end(job, JobState.DONE, result=result, done=F("total"))


def _take(job_id: int, work: Work | None) -> Job | None:
    """Make the job this process's own; None if it is not free or nobody here knows its work."""
    now = timezone.now()
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        return None
    if work is None and find_kind(job.kind) is None:
        log.warning("job.kind_unknown", job=job_id, kind=job.kind)
        return None
    if stopping.is_stopping():
        _leave_to_others(job_id, now)
        return None
    if job.state == JobState.RUNNING and is_lost(job, now):
        recover_job(job, now)
    taken = move_jobs(
        Job.objects.filter(pk=job_id, state=JobState.QUEUED),
        to=JobState.RUNNING,
        worker=worker_name(),
        started_at=job.started_at or now,
        taken_at=now,
        clock_at=None,
        heartbeat_at=now,
        finished_at=None,
    )
    if not taken:
        return None
    job.refresh_from_db()
    return job


def _leave_to_others(job_id: int, now: datetime) -> None:
    """Let another worker take the job first; with Redis, its reaper sends the message again."""
    Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(queued_at=long_ago(now))


def _work_of(job: Job) -> Work:
    kind = find_kind(job.kind)
    assert kind is not None  # noqa: S101  _take has looked
    return kind.load_work()


def _end(job: Job, state: JobState, error: DomainError | None = None, **changes: Any) -> None:
    now = timezone.now()
    rows = _held(job.pk)
    if not end_job(rows, job, state=state, now=now, error=error, heartbeat_at=now, **changes):
        log.warning("job.lost", job=job.pk, state=str(state))


def _end_turn(job: Job) -> None:
    """Send the job to the end of the queue, and with Redis wake a worker for it."""
    if _put_back(job, queued_at=timezone.now()):
        wake_worker(job)


def _put_back(job: Job, *, queued_at: datetime) -> bool:
    """Send the job back to the queue, which uses up no attempt; end it if that was asked for.

    No message goes to Redis, which a worker that is stopping might catch itself: after a
    `queued_at` of long ago the reaper of another one sends it within seconds. Returns whether the
    job waits now.
    """
    for _round in range(2):  # somebody may ask for the end between the two updates
        now, rows = timezone.now(), _held(job.pk)
        if move_jobs(
            rows.filter(cancel_requested_at=None),
            to=JobState.QUEUED,
            heartbeat_at=now,
            queued_at=queued_at,
            waiting_since=now,
        ):
            log.info("job.put_back", job=job.pk, kind=job.kind)
            return True
        asked = rows.filter(cancel_requested_at__isnull=False)
        if end_job(asked, job, state=JobState.CANCELLED, now=now, heartbeat_at=now):
            return False
    log.warning("job.lost", job=job.pk, state=str(JobState.QUEUED))
    return False


def _held(job_id: int) -> QuerySet[Job]:
    """The job's row as long as this worker has it: a stalled one may have lost it to another."""
    return Job.objects.filter(pk=job_id, state=JobState.RUNNING, worker=worker_name())


@contextmanager
def _heartbeat(job_id: int) -> Iterator[None]:
    """Beat from a thread while the body runs, for work that is silent for long (loading a model)."""
    stop = threading.Event()
    thread = threading.Thread(target=_beat_until, args=(job_id, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=BEAT_SECONDS)


def _beat_until(job_id: int, stop: threading.Event) -> None:
    try:
        while not stop.wait(BEAT_SECONDS):
            beat(job_id)
    finally:
        connection.close()


def beat(job_id: int) -> None:
    """Say that this worker still has the job.

    A failed beat closes the connection: the database may have been started again, and the next
    beat opens a new one. On SQLite the work itself may be holding the write lock.
    """
    try:
        _held(job_id).update(heartbeat_at=timezone.now())
    except DatabaseFailure as error:
        log.info("job.beat_missed", job=job_id, error=str(error))
        connection.close()
