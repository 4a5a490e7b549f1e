"""The job row, which is the truth about work done in the background, and the workers' beats."""

from typing import Any

from django.db import models

from common.enums import ENDED_JOB_STATES, JobState

LEAST_SECONDS = 2  # the first steps of work say little of its pace


class Job(models.Model):
    """One piece of background work; the broker only wakes a worker for it.

    `scope` is the slug of the project that it belongs to, as text: `common` knows no projects.
    `result` is what the work returned; `error_code` and `error` say in words why it failed.
    The pace is told from `clock_at`, when `clock_done` was done: that leaves out the loading of
    libraries, and of work that was taken up again what was done and what passed before.
    """

    kind = models.CharField(max_length=40)
    scope = models.CharField(max_length=100, db_index=True)
    state = models.CharField(max_length=12, choices=JobState, default=JobState.QUEUED)
    params = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=200, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    error = models.TextField(blank=True)
    requested_by = models.CharField(max_length=254, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    clock_at = models.DateTimeField(null=True)
    clock_done = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["state", "heartbeat_at"], name="job_state_heartbeat")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=JobState.values), name="job_state_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED_JOB_STATES

    @property
    def percent(self) -> int | None:
        """Whole per cent done, or None while the total is not known."""
        return min(100, 100 * self.done // self.total) if self.total else None

    def seconds_left(self, now: Any) -> int | None:
        """Seconds until the end at the pace so far, or None where no pace is known yet."""
        if self.state != JobState.RUNNING or not self.clock_at:
            return None
        if not self.clock_done < self.done < self.total:
            return None
        elapsed: float = (now - self.clock_at).total_seconds()
        if elapsed < LEAST_SECONDS:
            return None
        return round(elapsed * (self.total - self.done) / (self.done - self.clock_done))


class WorkerBeat(models.Model):
    """When a worker was last seen; a page that waits tells whether one is there."""

    name = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name
