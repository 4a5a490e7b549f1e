"""What a person does to a job: start, hold, cancel or resume it. Each writes an audit event.

The audit event is `<kind>.started`, `.held`, `.cancelled` or `.resumed`, and repeats what was asked for.
"""

from datetime import datetime
from typing import Any

import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError as OperationalBrokerError

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from jobs.endings import end_job, move_jobs
from jobs.enums import STOPPED_JOB_STATES, JobState
from jobs.kinds import find_kind, get_kind
from jobs.models import Job

RUN_TASK = "jobs.run"

log = structlog.get_logger(__name__)


class JobNotRunnable(DomainError):
    code = "job_not_runnable"
    detail = _(
        "Only a job that failed or was cancelled can be resumed. This one is waiting, running or "
        "done; to start over, cancel it first."
    )


class JobWaitsForFile(DomainError):
    code = "job_waits_for_file"
    detail = _(
        "This job waits for the answers of its batch file. Give it the answers, or choose “Ask directly” "
        "on its page. Answers of a file that is still out are then paid twice, and stored once."
    )


class JobNotHoldable(DomainError):
    code = "job_not_holdable"
    detail = _(
        "This job is running, or it is done. To ask the rest by batch file, cancel it first."
    )


class JobNotCancellable(DomainError):
    code = "job_not_cancellable"
    detail = _("This job has already ended, so there is nothing to cancel.")


@transaction.atomic
def create_job(
    *, kind: str, scope: str, params: dict[str, Any], actor: User | None, now: datetime
) -> Job:
    """Insert a waiting job, record that it was started, and wake a worker on commit.

    Raises LookupError for a kind that no app declares.
    """
    get_kind(kind)
    job = Job.objects.create(
        kind=kind,
        scope=scope,
        params=params,
        requested_by=actor.email if actor else "",
        created_at=now,
        queued_at=now,
        waiting_since=now,
    )
    _record(job, "started", actor, now)
    transaction.on_commit(lambda: wake_worker(job))
    return job


@transaction.atomic
def cancel_job(*, job: Job, actor: User | None, now: datetime) -> None:
    """Ask a job to stop: at once if it waits or is held, at its next check if it runs.

    Raises JobNotCancellable.
    """
    # The second round is for a job that went back to the queue between the two updates.
    if not (_ask_to_stop(job, now) or _ask_to_stop(job, now)):
        raise JobNotCancellable
    _record(job, "cancelled", actor, now)


@transaction.atomic
def resume_job(*, job: Job, actor: User | None, now: datetime) -> None:
    """Send a failed or cancelled job back to the queue; what it has done stays done.

    Its attempts are counted from zero again. Raises JobNotRunnable, for a running job too: its
    work must not be thrown away. Raises JobWaitsForFile for a held one, and whatever its kind
    refuses with.
    """
    rows = Job.objects.filter(pk=job.pk)
    if not _queue_again(rows.filter(state__in=STOPPED_JOB_STATES), job, actor, now):
        raise JobWaitsForFile if rows.filter(state=JobState.HELD).exists() else JobNotRunnable


@transaction.atomic
def hold_job(*, job: Job, actor: User | None, now: datetime) -> None:
    """Keep a job that waits or has stopped from the workers: its answers come in files.

    Raises JobNotHoldable.
    """
    cleared: dict[str, Any] = {
        "cancel_requested_at": None,
        "finished_at": None,
        "error_code": "",
        "error_data": {},
    }
    if not move_jobs(Job.objects.filter(pk=job.pk), to=JobState.HELD, note_code="", **cleared):
        raise JobNotHoldable
    _record(job, "held", actor, now)


@transaction.atomic
def release_job(*, job: Job, actor: User | None, now: datetime) -> None:
    """Send a held job to the queue. Raises JobNotRunnable if it is not held, and what its kind refuses with."""
    if not _queue_again(Job.objects.filter(pk=job.pk, state=JobState.HELD), job, actor, now):
        raise JobNotRunnable


def finish_held_job(*, job: Job, result: dict[str, Any], now: datetime) -> None:
    """End a held job whose answers are all there; a job in another state stays as it is."""
    held = Job.objects.filter(pk=job.pk, state=JobState.HELD)
    end_job(held, job, state=JobState.DONE, now=now, result=result, done=F("total"))


@transaction.atomic
def repeat_job(*, job: Job, holder: QuerySet[Any], actor: User | None, now: datetime) -> None:
    """Queue a job that does the same as an ended one, and give it to the row that has that as its `job`.

    Raises JobNotRunnable if another caller has done so.
    """
    successor = create_job(kind=job.kind, scope=job.scope, params=job.params, actor=actor, now=now)
    if not holder.filter(job=job).update(job=successor):
        raise JobNotRunnable


def wake_worker(job: Job) -> None:
    """Send the job's message to Redis; if that is away the reaper sends it again later.

    Without Redis there is no message: the workers poll the rows.
    """
    if not settings.REDIS_URL:
        return
    kind = find_kind(job.kind)
    queue = kind.queue if kind else None
    try:
        current_app.send_task(RUN_TASK, args=[job.pk], queue=queue, retry=False)
    except (OSError, OperationalBrokerError) as error:
        log.warning("job.not_sent", job=job.pk, error=str(error))


def _queue_again(rows: QuerySet[Job], job: Job, actor: User | None, now: datetime) -> bool:
    """Move a job to the queue if it is among `rows`, and wake a worker on commit; return whether it was."""
    moved = move_jobs(
        rows,
        to=JobState.QUEUED,
        cancel_requested_at=None,
        finished_at=None,
        note_code="",
        error_code="",
        error_data={},
        crash_count=0,
        queued_at=now,
        waiting_since=now,
    )
    if not moved:
        return False
    if kind := find_kind(job.kind):
        kind.on_resume(job)
    _record(job, "resumed", actor, now)
    transaction.on_commit(lambda: wake_worker(job))
    return True


def _ask_to_stop(job: Job, now: datetime) -> bool:
    rows = Job.objects.filter(pk=job.pk)
    waiting = rows.filter(state__in=[JobState.QUEUED, JobState.HELD])
    if end_job(waiting, job, state=JobState.CANCELLED, now=now, cancel_requested_at=now):
        return True
    return bool(rows.filter(state=JobState.RUNNING).update(cancel_requested_at=now))


def _record(job: Job, what: str, actor: User | None, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=f"{job.kind}.{what}",
        target=f"job:{job.pk}",
        scope=job.scope,
        data=job.params,
        now=now,
    )
