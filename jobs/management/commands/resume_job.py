"""`resume_job ID`: send a failed or cancelled job back to the queue."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand, positive
from jobs.actions import resume_job
from jobs.management.output import job_as_json, job_as_text
from jobs.selectors import get_job


class Command(LotsawaCommand):
    help = "Send a failed or cancelled job back to the queue; what it has done stays done."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", metavar="ID", type=positive)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        job = get_job(options["job"])
        resume_job(job=job, actor=None, now=timezone.now())
        job.refresh_from_db()
        return job_as_json(job)

    def text(self, result: dict[str, Any]) -> str:
        return job_as_text(result)
