"""Turns of projects at the workers for calls: whose job a worker takes, and when a job gives way.

Calls go on for hours. So a job that asks an endpoint goes back to the queue at the end of its turn
if a project with fewer running jobs waits; what it has stored stays, and it continues in its next turn.
"""

import time
from collections import Counter
from dataclasses import dataclass, field

from django.conf import settings

from jobs.enums import JobState, Queue
from jobs.kinds import names_of_kinds
from jobs.models import Job
from jobs.queries import next_job

LOOK_SECONDS = 5.0


def job_for_message(job_id: int) -> int:
    """Return the job to do for a message: any message for calls serves the project whose turn it is."""
    of_calls = Job.objects.filter(pk=job_id, kind__in=names_of_kinds([Queue.CALLS]))
    found = next_job([Queue.CALLS]) if of_calls.exists() else None
    return job_id if found is None else found


@dataclass(slots=True)
class Turn:
    """The turn of a job at a worker. It begins with the first look, when the job has begun to ask."""

    job: Job
    _look_at: float | None = field(default=None, init=False)

    def is_over(self) -> bool:
        """Whether the job has had its time and a project with fewer running jobs waits."""
        now = time.monotonic()
        if self._look_at is None:
            self._look_at = now + settings.JOB_TURN_SECONDS
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return is_another_scope_due(self.job)


def is_another_scope_due(job: Job) -> bool:
    """Whether calls wait of a scope that has fewer running than the scope of `job`."""
    of_calls = names_of_kinds([Queue.CALLS])
    if job.kind not in of_calls:
        return False
    calls = Job.objects.filter(kind__in=of_calls).order_by()
    waiting = calls.filter(state=JobState.QUEUED).exclude(scope=job.scope)
    scopes = set(waiting.values_list("scope", flat=True).distinct())
    rows = calls.filter(state=JobState.RUNNING, scope__in={*scopes, job.scope})
    running = Counter(rows.values_list("scope", flat=True))
    return any(running[scope] < running[job.scope] for scope in scopes)
