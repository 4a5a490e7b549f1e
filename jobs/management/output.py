"""How the commands print a job."""

from typing import Any

from jobs.enums import JobState
from jobs.models import Job


def job_as_json(job: Job) -> dict[str, Any]:
    return {
        "id": job.pk,
        "kind": job.kind,
        "project": job.scope,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "crashes": job.crash_count,
        "error_code": job.error_code,
        "error": job.error,
        "requested_by": job.requested_by,
        "created_at": job.created_at.isoformat(),
        "is_cancel_requested": job.cancel_requested_at is not None,
    }


def job_as_text(job: dict[str, Any]) -> str:
    """One line: number, kind, project, state, how far, and why it failed."""
    count = f"{job['done']}/{job['total']}" if job["total"] else ""
    state = str(JobState(job["state"]).label)
    words = [f"{job['id']:>6}", job["kind"], job["project"], state, count, job["error"]]
    return "  ".join(word for word in words if word)
