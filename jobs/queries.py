"""Questions about jobs and workers."""

from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db.models import Min, QuerySet
from django.db.models.functions import Coalesce
from kombu.exceptions import OperationalError as OperationalBrokerError

from jobs.enums import STOPPED_JOB_STATES, JobState
from jobs.kinds import find_kind
from jobs.models import Job, WorkerBeat
from jobs.processes import is_known_dead


def newest_jobs(*, scope: str = "", state: str = "") -> QuerySet[Job]:
    """Jobs of a project or of all, in one state or in any, newest first."""
    wanted = {name: value for name, value in {"scope": scope, "state": state}.items() if value}
    return Job.objects.filter(**wanted).order_by("-pk")


def result_of(job: Job) -> dict[str, Any]:
    """What came of a job, as its kind tells it: also of one that failed."""
    kind = find_kind(job.kind)
    return kind.result(job) if kind else dict(job.result)


def is_worth_resuming(job: Job) -> bool:
    """Whether to offer another try: some errors stay until somebody changes the input."""
    kind = find_kind(job.kind)
    if kind is None or job.state not in STOPPED_JOB_STATES:
        return False
    return job.error_code not in kind.final_errors and kind.can_resume(job)


def is_worker_alive(*, now: datetime) -> bool:
    """Whether any worker has beaten lately and is not known to have died since."""
    horizon = now - timedelta(seconds=settings.JOB_STALE_SECONDS)
    beats = WorkerBeat.objects.filter(seen_at__gte=horizon).values_list("name", flat=True)
    return any(not is_known_dead(name) for name in beats)


def oldest_waiting_since() -> datetime | None:
    """Since when the job has waited that waits longest; None if none waits."""
    waiting = Job.objects.filter(state=JobState.QUEUED)
    # Jobs from before `waiting_since` was kept have none.
    found = waiting.aggregate(since=Min(Coalesce("waiting_since", "created_at")))
    since: datetime | None = found["since"]
    return since


def count_of_jobs(state: JobState) -> int:
    """How many jobs wait or run; of those that have ended there may be millions."""
    return Job.objects.filter(state=state).count()


def is_broker_reachable() -> bool:
    """Whether a message could be sent now; the file broker is there as long as its folder is."""
    try:
        with current_app.connection_for_write(connect_timeout=1) as broker:
            broker.ensure_connection(max_retries=1, timeout=1)
    except (OSError, OperationalBrokerError):
        return False
    return True
