"""Finds the jobs that nobody works on: those whose worker is gone and those whose message is lost.

A worker that dies says nothing. Its job goes back to the queue, and after a few such deaths the
job fails: it is most likely what kills the worker.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from jobs.actions import wake_worker
from jobs.endings import WorkerDied, end_job, move_jobs
from jobs.enums import JobState
from jobs.kinds import ATTEMPTS, all_kinds, find_kind
from jobs.models import Job, WorkerBeat
from jobs.processes import is_known_dead, is_on_this_host

QUIET_SECONDS = 20
# A worker whose process is there may be waiting for a database lock; it is given longer.
PATIENCE = 4


def reap_jobs(*, now: datetime) -> None:
    """Put lost jobs back or end them and, with Redis, send lost messages again."""
    for job in Job.objects.filter(state=JobState.RUNNING).order_by("pk"):
        if is_lost(job, now):
            recover_job(job, now)
    if settings.REDIS_URL:
        send_again(now=now)


def send_again(*, now: datetime) -> int:
    """Wake a worker for each waiting job whose message is so old that it must be lost.

    Only for kinds that this process knows; returns how many. A second message for a job that is
    fine does nothing.
    """
    quiet = Job.objects.filter(
        state=JobState.QUEUED,
        queued_at__lte=long_ago(now),
        kind__in=[kind.name for kind in all_kinds()],
    )
    woken = [job for job in quiet.order_by("queued_at", "pk") if _mark_sent(job, now)]
    for job in woken:
        wake_worker(job)
    return len(woken)


def is_lost(job: Job, now: datetime) -> bool:
    """Whether a running job's worker is gone: silent too long, or dead on this very host."""
    if job.heartbeat_at is None or is_known_dead(job.worker):
        return True
    patience = PATIENCE if is_on_this_host(job.worker) else 1
    return job.heartbeat_at < now - timedelta(seconds=settings.JOB_STALE_SECONDS * patience)


def recover_job(job: Job, now: datetime) -> None:
    """Take a lost job from its worker: cancelled if somebody asked, failed after too many deaths.

    Otherwise it waits again. Of two that find it lost, one moves it; one that is back after all,
    or that somebody cancels just now, is left to the next round.
    """
    crashes = job.crash_count + 1
    if job.cancel_requested_at:
        end_job(_unchanged(job), job, state=JobState.CANCELLED, now=now)
    elif crashes >= _attempts_of(job):
        error = WorkerDied(attempts=crashes)
        end_job(
            _unchanged(job), job, state=JobState.FAILED, now=now, error=error, crash_count=crashes
        )
    else:
        move_jobs(
            _unchanged(job),
            to=JobState.QUEUED,
            worker="",
            crash_count=crashes,
            queued_at=long_ago(now),
            waiting_since=now,
        )


def record_beat(*, name: str, now: datetime, queues: Collection[str] = ()) -> None:
    """Note that the worker `name` is there, for these queues or, without any, for all."""
    seen = {"seen_at": now, "queues": ",".join(sorted(queues))}
    WorkerBeat.objects.update_or_create(name=name, defaults=seen)
    WorkerBeat.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def forget_worker(name: str) -> None:
    """Note that the worker `name` has stopped, so that pages need not wait for its silence."""
    WorkerBeat.objects.filter(name=name).delete()


def _unchanged(job: Job) -> QuerySet[Job]:
    """The job's row, if nobody has touched it since it was read."""
    return Job.objects.filter(
        pk=job.pk,
        state=JobState.RUNNING,
        worker=job.worker,
        heartbeat_at=job.heartbeat_at,
        cancel_requested_at=job.cancel_requested_at,
    )


def _attempts_of(job: Job) -> int:
    kind = find_kind(job.kind)
    return kind.attempts if kind else ATTEMPTS


def long_ago(now: datetime) -> datetime:
    """The `queued_at` of a job whose message nobody need wait for."""
    return now - timedelta(seconds=QUIET_SECONDS)


def _mark_sent(job: Job, now: datetime) -> int:
    """Note that a message goes out now, so that of several reapers one sends it."""
    rows = Job.objects.filter(pk=job.pk, state=JobState.QUEUED, queued_at=job.queued_at)
    return rows.update(queued_at=now)
