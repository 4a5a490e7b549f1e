"""How a job ends: one update of its row, together with what its kind tidies up."""

import json
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from common.db import sources_of
from common.errors import DomainError
from jobs.enums import JOB_TRANSITIONS, STOPPED_JOB_STATES, JobState
from jobs.kinds import find_kind
from jobs.models import Job

log = structlog.get_logger(__name__)


class JobCrashed(DomainError):
    """What a person reads about an error that nobody foresaw; the rest is in the log."""

    code = "internal"
    detail = _("Something went wrong inside Lotsawa (%(name)s). The worker's log says more.")
    status = 500


class WorkerDied(DomainError):
    code = "worker_died"
    detail = _(
        "The worker stopped without warning %(attempts)s times while it did this job. Often it "
        "ran out of memory: give it more, or make the job smaller, then resume it."
    )
    status = 500


def move_jobs(rows: QuerySet[Job], *, to: JobState, **changes: Any) -> int:
    """Move those of `rows` that JOB_TRANSITIONS lets into the state `to`, in one update; return how many."""
    return rows.filter(state__in=sources_of(to, JOB_TRANSITIONS)).update(state=to, **changes)


def end_job(
    rows: QuerySet[Job],
    job: Job,
    *,
    state: JobState,
    now: datetime,
    error: DomainError | None = None,
    **changes: Any,
) -> bool:
    """End `job` if it is still among `rows`; return whether it was.

    In one transaction: the row, then `on_stop` of its kind if it failed or was cancelled.
    """
    if error:
        changes |= {"error_code": error.code, "error_data": _as_json(error.params)}
    with transaction.atomic():
        if not move_jobs(rows, to=state, finished_at=now, **changes):
            return False
        kind = find_kind(job.kind)
        if kind and state in STOPPED_JOB_STATES:
            kind.on_stop(job)
    log.info("job.ended", job=job.pk, kind=job.kind, state=str(state), error=error and error.code)
    return True


def _as_json(params: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(params, default=str))
    return plain
