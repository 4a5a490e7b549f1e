"""Questions about jobs and workers."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db.models import Count, Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce
from kombu.exceptions import OperationalError as OperationalBrokerError

from jobs.enums import STOPPED_JOB_STATES, JobState, Queue
from jobs.kinds import find_kind, names_of_kinds
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


def is_worker_alive(*, now: datetime, queue: Queue = Queue.DEFAULT) -> bool:
    """Return whether a worker of `queue` has beaten lately and has not died since."""
    return queue not in queues_without_worker(now=now)


def queues_without_worker(*, now: datetime) -> list[Queue]:
    """Return the queues whose jobs wait for ever unless somebody starts a worker for them."""
    horizon = now - timedelta(seconds=settings.JOB_STALE_SECONDS)
    beats = WorkerBeat.objects.filter(seen_at__gte=horizon).values_list("name", "queues")
    alive = [queues for name, queues in beats if not is_known_dead(name)]
    if "" in alive:
        return []
    served = {queue for queues in alive for queue in queues.split(",")}
    return [queue for queue in Queue if queue not in served]


def next_job(queues: Collection[Queue]) -> int | None:
    """Return the number of the job that has waited longest in one of these queues.

    If that waits for endpoints, projects take turns: of those with a waiting call, the one with the
    fewest running calls, and of these the one whose last turn began longest ago.
    """
    waiting = Job.objects.filter(state=JobState.QUEUED, kind__in=names_of_kinds(queues))
    waiting = waiting.order_by("queued_at", "pk")
    longest = waiting.values_list("pk", "kind").first()
    if longest is None:
        return None
    of_calls = names_of_kinds([Queue.CALLS])
    if longest[1] not in of_calls:
        return longest[0]
    rows = waiting.filter(kind__in=of_calls)
    scopes = rows.order_by().values_list("scope").annotate(since=Min("queued_at"))
    since = {scope: (when, scope) for scope, when in scopes}
    if len(since) > 1:
        calls = Job.objects.filter(kind__in=of_calls, scope__in=since)
        scope = _scope_to_serve(calls, since)
        rows = rows.filter(scope=scope)
    return rows.values_list("pk", flat=True).first()


def _scope_to_serve(calls: QuerySet[Job], since: Mapping[str, tuple[datetime, str]]) -> str:
    """Return the scope to serve next; `since` is when each scope began to wait, to settle ties."""
    running = Count("pk", filter=Q(state=JobState.RUNNING))
    last = Max(Coalesce("taken_at", "started_at"))  # jobs of before `taken_at` was kept have none
    rows = calls.values_list("scope").annotate(running=running, last=last).order_by()
    never = datetime.min.replace(tzinfo=UTC)
    ranked = sorted((count, last or never, since[scope]) for scope, count, last in rows)
    return ranked[0][2][1]


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
    """Return whether a message could be sent now; without Redis none needs to be."""
    if not settings.REDIS_URL:
        return True
    try:
        with current_app.connection_for_write(connect_timeout=1) as broker:
            broker.ensure_connection(max_retries=1, timeout=1)
    except (OSError, OperationalBrokerError):
        return False
    return True
