"""What a worker does for `evaluation`: each task is one job."""

from celery import shared_task

from common.jobs import run_job
from evaluation.actions.work import do_run


@shared_task(name="evaluation.tasks.run_model")
def run_model(job_id: int) -> None:
    run_job(job_id, do_run)
