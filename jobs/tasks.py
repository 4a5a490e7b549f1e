"""The one Celery task, for workers with Redis: its message names a job, whose kind knows the work.

Of calls it wakes a worker for one job, not for this one: projects take turns.
"""

from celery import shared_task

from jobs.actions import RUN_TASK
from jobs.turns import job_for_message
from jobs.worker import run_job

TRIES = 3


@shared_task(name=RUN_TASK)
def run(job_id: int) -> None:
    for _try in range(TRIES):  # another worker may be quicker
        if run_job(job_for_message(job_id)):
            return
