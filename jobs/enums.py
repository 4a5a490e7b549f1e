"""The states of a job, the moves between them, and the queues that jobs wait in."""

from enum import StrEnum

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Queue(StrEnum):
    """Where a job waits: each worker takes jobs from the queues that it was started for."""

    DEFAULT = "default"
    EMBED = "embed"  # loads an embedding model, so its process must not fork
    SUBMISSIONS = "submissions"  # strangers wait for each other, and nobody else for them
    SUBMISSION_CALLS = "submission-calls"  # asks endpoints that strangers chose
    CALLS = "calls"  # waits for endpoints, often for hours


class JobState(TextChoices):
    QUEUED = "queued", _("waiting")
    HELD = "held", _("waits for its file")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


JOB_TRANSITIONS: dict[str, frozenset[str]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELLED, JobState.HELD}),
    # No worker takes it: its answers come in files, until a person has it asked directly.
    JobState.HELD: frozenset({JobState.QUEUED, JobState.DONE, JobState.CANCELLED}),
    # Back to the queue when its worker stops or dies: the next one continues where it left off.
    JobState.RUNNING: frozenset(
        {JobState.QUEUED, JobState.DONE, JobState.FAILED, JobState.CANCELLED}
    ),
    JobState.DONE: frozenset(),
    JobState.FAILED: frozenset({JobState.QUEUED, JobState.HELD}),
    JobState.CANCELLED: frozenset({JobState.QUEUED, JobState.HELD}),
}
ENDED_JOB_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})
# The states from which a person can resume a job. A running job also goes back to the queue, but
# only its worker, or the reaper in its place, may send it there.
STOPPED_JOB_STATES = frozenset({JobState.FAILED, JobState.CANCELLED})
