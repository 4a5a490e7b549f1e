"""The one Celery task: its message names a job, and the job's kind knows the work and the queue."""

from celery import shared_task

from jobs.actions import RUN_TASK
from jobs.worker import run_job


@shared_task(name=RUN_TASK)
def run(job_id: int) -> None:
    run_job(job_id)
