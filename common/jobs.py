"""Background work: make a job, run it once, show how far it is, cancel it, take it up again.

The broker delivers at least once and may lose a message; the job row is the truth. A worker
takes a job by compare-and-swap and beats while it works; one that stalled and lost its job to
another writes nothing more to the row. `reap_jobs` wakes the queue again for
jobs whose message or worker is gone. What a job does must be keyed so that running it twice, or
going on after a kill, leaves the same rows.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import structlog
from celery import current_app
from celery.worker import state as worker_state
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError as OperationalBrokerError

from common.db import move
from common.enums import JOB_TRANSITIONS, JobState
from common.errors import DomainError
from common.models import Job, WorkerBeat

log = structlog.get_logger(__name__)

BEAT_SECONDS = 5.0
WRITE_SECONDS = 0.5
QUIET_SECONDS = 20
# A worker whose process is there may be held up by a database lock; it is given longer.
PATIENCE = 4

_task_of_kind: dict[str, str] = {}
_when_cancelled: dict[str, Callable[[Job], None]] = {}
# What a person (the second argument) does to a job of a kind that has rules of its own for it.
JobAction = Callable[[Job, Any, datetime], None]
_resume_of_kind: dict[str, JobAction] = {}
_cancel_of_kind: dict[str, JobAction] = {}


class JobNotRunnable(DomainError):
    code = "job_not_runnable"
    detail = _("This job is already running or has ended.")


class JobNotCancellable(DomainError):
    code = "job_not_cancellable"
    detail = _("This job has already ended.")


class JobCancelled(Exception):
    """Raised inside the work when somebody asked for its end."""


class JobInterrupted(Exception):
    """Raised inside the work when the worker is told to stop or has lost the job.

    A job that it still has goes back to the queue.
    """


def register_kind(
    kind: str,
    *,
    task: str,
    when_cancelled: Callable[[Job], None] | None = None,
    resume: JobAction | None = None,
    cancel: JobAction | None = None,
) -> None:
    """Name the Celery task that runs jobs of `kind`; called once, where the task is defined.

    `when_cancelled` puts right what hangs on a job that is cancelled before its work began; it
    runs in the transaction that cancels. Work that has begun learns it by JobCancelled.
    `resume` and `cancel` are the actions of the kind for `resume_job` and `stop_job`.
    """
    _task_of_kind[kind] = task
    if when_cancelled:
        _when_cancelled[kind] = when_cancelled
    if resume:
        _resume_of_kind[kind] = resume
    if cancel:
        _cancel_of_kind[kind] = cancel


def create_job(
    *, kind: str, scope: str, params: dict[str, Any], requested_by: str, now: datetime
) -> Job:
    """Insert a queued job and wake a worker when the transaction commits."""
    job = Job.objects.create(
        kind=kind,
        scope=scope,
        params=params,
        requested_by=requested_by,
        created_at=now,
        queued_at=now,
    )
    transaction.on_commit(lambda: wake_worker(job))
    return job


def requeue_job(*, job: Job, now: datetime) -> None:
    """Send an ended or interrupted job back to the queue; what it has done already stays done."""
    move(
        Job.objects.filter(pk=job.pk),
        to=JobState.QUEUED,
        transitions=JOB_TRANSITIONS,
        refusal=JobNotRunnable,
        cancel_requested_at=None,
        finished_at=None,
        error_code="",
        error="",
        queued_at=now,
    )
    transaction.on_commit(lambda: wake_worker(job))


@transaction.atomic
def cancel_job(*, job: Job, now: datetime) -> None:
    """Ask a job to stop: at once if it waits, at its next check if it runs.

    Raises JobNotCancellable. The second round is for a job that went back to the queue between
    the two updates.
    """
    rows = Job.objects.filter(pk=job.pk)
    for _round in range(2):
        if rows.filter(state=JobState.QUEUED).update(
            state=JobState.CANCELLED, cancel_requested_at=now, finished_at=now
        ):
            if put_right := _when_cancelled.get(job.kind):
                put_right(job)
            return
        if rows.filter(state=JobState.RUNNING).update(cancel_requested_at=now):
            return
    raise JobNotCancellable


def resume_job(*, job: Job, actor: Any, now: datetime) -> None:
    """Take a job up again by the rules of its kind. Raises JobNotRunnable and what they raise."""
    if by_kind := _resume_of_kind.get(job.kind):
        by_kind(job, actor, now)
    else:
        requeue_job(job=job, now=now)


def stop_job(*, job: Job, actor: Any, now: datetime) -> None:
    """Cancel a job by the rules of its kind. Raises JobNotCancellable and what they raise."""
    if by_kind := _cancel_of_kind.get(job.kind):
        by_kind(job, actor, now)
    else:
        cancel_job(job=job, now=now)


def wake_worker(job: Job) -> None:
    """Send the job's message; if the broker is away the reaper sends it again later."""
    try:
        current_app.send_task(_task_of_kind[job.kind], args=[job.pk], retry=False)
    except (OSError, OperationalBrokerError) as error:
        log.warning("job.not_sent", job=job.pk, error=str(error))


class Progress:
    """The running work's hand on its job row: how far it is, and whether it should stop.

    It reaches the row only as long as `worker` has the job; without one, whoever has it.
    """

    def __init__(self, job_id: int, *, worker: str | None = None) -> None:
        rows = Job.objects.filter(pk=job_id)
        self._rows = rows if worker is None else rows.filter(worker=worker)
        self._written_at = 0.0
        self._checked_at = 0.0

    def start(self, total: int, *, done: int = 0, note: str = "") -> None:
        """Record how much there is and start the clock by which the time left is told."""
        now = timezone.now()
        self._rows.update(
            total=total, done=done, note=note, heartbeat_at=now, clock_at=now, clock_done=done
        )

    def hold(self, note: str) -> None:
        """Say what takes a time that nobody can tell; until `start` no time left is told."""
        self._rows.update(note=note, clock_at=None, heartbeat_at=timezone.now())

    def say(self, note: str) -> None:
        self._rows.update(note=note, heartbeat_at=timezone.now())

    def reach(self, done: int) -> None:
        """Record `done`, at most twice a second, and raise if the work should stop."""
        if time.monotonic() - self._written_at >= WRITE_SECONDS:
            self._written_at = time.monotonic()
            self._rows.update(done=done, heartbeat_at=timezone.now())
        self.check()

    def check(self) -> None:
        """Raise JobCancelled or JobInterrupted if the work should stop; cheap to call often."""
        if worker_state.should_stop is not None or worker_state.should_terminate is not None:
            raise JobInterrupted
        if time.monotonic() - self._checked_at < WRITE_SECONDS:
            return
        self._checked_at = time.monotonic()
        row = self._rows.values("cancel_requested_at").first()
        if row is None:  # another worker has the job now
            raise JobInterrupted
        if row["cancel_requested_at"]:
            raise JobCancelled


def run_job(job_id: int, work: Callable[[Job, Progress], dict[str, Any]]) -> None:
    """Take the job, do `work`, record how it ended.

    Returns without a word when another worker has the job or it has ended: the message was a
    repeat. A DomainError becomes the job's error in words; any other exception is recorded and
    raised again.
    """
    job = _take(job_id)
    if job is None:
        return
    progress = Progress(job_id, worker=job.worker)
    try:
        with _heart(job_id):
            result = work(job, progress)
    except JobCancelled:
        _end(job_id, JobState.CANCELLED)
    except JobInterrupted:
        _end(job_id, JobState.QUEUED)
    except DomainError as error:
        _end(job_id, JobState.FAILED, error_code=error.code, error=str(error))
    except Exception as error:
        words = gettext("Something went wrong inside (%(name)s); the log of the worker says more.")
        words %= {"name": type(error).__name__}
        _end(job_id, JobState.FAILED, error_code="internal", error=words)
        raise
    else:
        _end(job_id, JobState.DONE, result=result)


def run_now(job: Job, work: Callable[[Job, Progress], dict[str, Any]]) -> Job:
    """Do the job in this process, for commands that wait; return its row as it ended."""
    run_job(job.pk, work)
    job.refresh_from_db()
    return job


def reap_jobs(*, now: datetime) -> int:
    """Wake the queue for jobs that nobody works on; return how many.

    Those are running jobs whose worker is dead or silent, and queued jobs so old that their
    message must be lost, of the kinds that this process knows. A second message for a job that
    is fine does nothing.
    """
    for job in Job.objects.filter(state=JobState.RUNNING):
        if _is_lost(job, now):
            rows = Job.objects.filter(pk=job.pk, heartbeat_at=job.heartbeat_at)
            rows.filter(state=JobState.RUNNING).update(
                state=JobState.QUEUED, worker="", queued_at=_long_ago(now)
            )
    quiet = Job.objects.filter(
        state=JobState.QUEUED, queued_at__lte=_long_ago(now), kind__in=_task_of_kind
    )
    woken = [job for job in quiet if _touch(job, now)]
    for job in woken:
        wake_worker(job)
    return len(woken)


def _long_ago(now: datetime) -> datetime:
    return now - timedelta(seconds=QUIET_SECONDS)


def _touch(job: Job, now: datetime) -> int:
    """Note that a message goes out now, so that of several reapers one sends it, and not again soon."""
    rows = Job.objects.filter(pk=job.pk, state=JobState.QUEUED, queued_at=job.queued_at)
    return rows.update(queued_at=now)


def record_beat(*, name: str, now: datetime) -> None:
    """Note that the worker `name` is there."""
    WorkerBeat.objects.update_or_create(name=name, defaults={"seen_at": now})
    WorkerBeat.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def is_worker_alive(*, now: datetime) -> bool:
    """Whether any worker has beaten lately."""
    horizon = now - timedelta(seconds=settings.JOB_STALE_SECONDS)
    return WorkerBeat.objects.filter(seen_at__gte=horizon).exists()


def is_broker_reachable() -> bool:
    """Whether a message could be sent now; the file broker is there as long as its folder is."""
    try:
        with current_app.connection_for_write(connect_timeout=1) as broker:
            broker.ensure_connection(max_retries=1, timeout=1)
    except (OSError, OperationalBrokerError):
        return False
    return True


def worker_name() -> str:
    return f"{socket.gethostname()}/{os.getpid()}"


def _take(job_id: int) -> Job | None:
    now = timezone.now()
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        return None
    free = Q(state=JobState.QUEUED)
    if job.state == JobState.RUNNING and _is_lost(job, now):
        free |= Q(state=JobState.RUNNING, heartbeat_at=job.heartbeat_at)
    taken = Job.objects.filter(free, pk=job_id).update(
        state=JobState.RUNNING,
        worker=worker_name(),
        started_at=job.started_at or now,
        clock_at=None,
        heartbeat_at=now,
        finished_at=None,
    )
    if not taken:
        return None
    job.refresh_from_db()
    return job


def _is_lost(job: Job, now: datetime) -> bool:
    """Whether a running job's worker is gone: silent too long, or dead on this very host."""
    if job.heartbeat_at is None:
        return True
    host, _slash, pid = job.worker.rpartition("/")
    is_here = host == socket.gethostname()
    if is_here and not _process_exists(int(pid)):
        return True
    patience = PATIENCE if is_here else 1
    return job.heartbeat_at < now - timedelta(seconds=settings.JOB_STALE_SECONDS * patience)


def _process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _end(job_id: int, state: JobState, **changes: Any) -> None:
    now = timezone.now()
    if state != JobState.QUEUED:
        changes["finished_at"] = now
    if state == JobState.DONE:
        changes["done"] = F("total")
    if _held(job_id).update(state=state, heartbeat_at=now, **changes):
        code = changes.get("error_code", "")
        log.info("job.ended", job=job_id, state=str(state), error_code=code)
    else:
        log.warning("job.lost", job=job_id, state=str(state))


def _held(job_id: int) -> QuerySet[Job]:
    """The job's row as long as this worker has it: a stalled one may have lost it to another."""
    return Job.objects.filter(pk=job_id, state=JobState.RUNNING, worker=worker_name())


@contextmanager
def _heart(job_id: int) -> Iterator[None]:
    """Beat from a thread while the body runs, for work that is silent for long (loading a model)."""
    stop = threading.Event()
    thread = threading.Thread(target=_beat, args=(job_id, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=BEAT_SECONDS)


def _beat(job_id: int, stop: threading.Event) -> None:
    try:
        while not stop.wait(BEAT_SECONDS):
            try:
                _held(job_id).update(heartbeat_at=timezone.now())
            except OperationalError as error:  # the work itself holds SQLite's write lock
                log.info("job.beat_missed", job=job_id, error=str(error))
    finally:
        connection.close()
