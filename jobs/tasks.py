"""The one Celery task, for workers with Redis: its message names a job, whose kind knows the work."""

from celery import shared_task

from jobs.actions import RUN_TASK
from jobs.worker import run_job


@shared_task(name=RUN_TASK)
def run(job_id: int) -> None:
    run_job(job_id)
