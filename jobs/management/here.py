"""Does jobs in the process of a command."""

import time
from typing import Final

from common.errors import DomainError
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now

POLL_SECONDS: Final = 0.2


class JobStopped(DomainError):
    code = "job_stopped"
    detail = "%(reason)s"


def end_here(job: Job) -> Job:
    """Do the job in this process; if a worker has it, wait, and take over if the worker dies."""
    job = run_now(job)
    while job.state == JobState.RUNNING:
        time.sleep(POLL_SECONDS)
        job = run_now(job)
    return job


def work_here(job: Job) -> Job:
    """Do the job as `end_here`, and return its row. Raises JobStopped if it does not finish."""
    job = end_here(job)
    if job.state != JobState.DONE:
        raise JobStopped(reason=job.error or job.get_state_display())
    return job
