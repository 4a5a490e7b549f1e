"""What the page of a job shows of batch files: the next step, or the way to wait for them."""

from typing import Any

from endpoints.held.kinds import can_be_held, work_of
from endpoints.providers.translation.catalogue import ENGINES
from jobs.enums import JOB_TRANSITIONS, JobState
from jobs.models import Job


def held_context(job: Job, *, can_manage: bool) -> dict[str, Any]:
    """Return the step of the next file of a held job, and whether another may be held."""
    if not can_manage or not can_be_held(job.kind):
        return {}
    if job.state == JobState.HELD:
        return {"file_step": work_of(job).step()}
    if JobState.HELD not in JOB_TRANSITIONS[job.state]:
        return {}
    has_engine = any(spec.endpoint.provider in ENGINES for spec in work_of(job).specs)
    return {"can_hold": not has_engine}
