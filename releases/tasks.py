"""Background work of `releases`."""

from celery import shared_task

from common.jobs import run_job
from releases.actions.building import run_build


@shared_task(name="releases.tasks.build_release")
def build_release(job_id: int) -> None:
    run_job(job_id, run_build)
