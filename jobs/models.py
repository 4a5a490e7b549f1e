"""The job row, which is the truth about work in the background, and the workers' signs of life."""

from datetime import datetime

from django.db import models

from common.errors import error_text
from jobs.enums import ENDED_JOB_STATES, JobState
from jobs.kinds import find_kind

LEAST_SECONDS = 2  # the first steps of work say little about its pace


class Job(models.Model):
    """One piece of background work; a message in Redis only wakes a worker for it.

    `scope` says what it belongs to as text (the slug of a project): this app knows no projects.
    `params` is what was asked, which the audit event repeats; `result` is what the work returned.
    Why it failed and what it is doing are stored as codes: the words are made when they are
    shown, in the reader's language. `crash_count` counts the workers that died of it since a
    person last started it.
    Waiting jobs are taken in the order of `queued_at`. With Redis it is when the job's message was
    sent last, again and again while it waits; `waiting_since` is when it began to wait.
    `started_at` is when a worker took it first, `taken_at` when one took it last.
    The pace is measured from `clock_at`, when `clock_done` was done. So it leaves out the time to
    load libraries and, for a job that was resumed, everything before.
    """

    kind = models.CharField(max_length=40)
    scope = models.CharField(max_length=100)
    state = models.CharField(max_length=12, choices=JobState, default=JobState.QUEUED)
    params = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    note_code = models.CharField(max_length=60, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    error_data = models.JSONField(default=dict)
    crash_count = models.PositiveSmallIntegerField(default=0)
    requested_by = models.CharField(max_length=254, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()
    queued_at = models.DateTimeField()
    waiting_since = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    taken_at = models.DateTimeField(null=True)
    clock_at = models.DateTimeField(null=True)
    clock_done = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)

    class Meta:
        # The reaper asks for running and for waiting jobs every few seconds, among millions that
        # have ended; the list of jobs asks for the newest of a project.
        indexes = [
            models.Index(fields=["state", "heartbeat_at"], name="job_state_heartbeat"),
            models.Index(fields=["state", "queued_at"], name="job_state_queued"),
            models.Index(fields=["scope", "id"], name="job_scope_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=JobState.values), name="job_state_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    @property
    def title(self) -> str:
        """What kind of job this is, in the reader's language."""
        kind = find_kind(self.kind)
        return str(kind.title) if kind else self.kind

    @property
    def error(self) -> str:
        """Why the job failed, in the reader's language; empty while nothing is wrong."""
        return error_text(self.error_code, self.error_data) if self.error_code else ""

    @property
    def note(self) -> str:
        """What the job is doing, in the reader's language; empty where its kind says nothing."""
        kind = find_kind(self.kind)
        return str(kind.notes.get(self.note_code, "")) if kind else ""

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED_JOB_STATES

    @property
    def percent(self) -> int | None:
        """Whole per cent done, or None while the total is not known."""
        return min(100, 100 * self.done // self.total) if self.total else None

    def seconds_left(self, now: datetime) -> int | None:
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
    """When a worker was last seen; a page that waits says whether one is there.

    `queues` are the queues it takes jobs from, separated by commas; empty for all.
    """

    name = models.CharField(max_length=200, unique=True)
    queues = models.CharField(max_length=100, blank=True)
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name
