"""What a worker does for `annotation`: each task is one job."""

from celery import shared_task

from annotation.actions.imports import run_import_job
from common.jobs import run_job


@shared_task(name="annotation.tasks.run_import")
def run_import(job_id: int) -> None:
    run_job(job_id, run_import_job)


@shared_task(name="annotation.tasks.run_duplicate_search")
def run_duplicate_search(job_id: int) -> None:
    # Only this task needs the embedding code; the others stay light.
    from annotation.actions.duplicate_search import run_search_job

    run_job(job_id, run_search_job)
