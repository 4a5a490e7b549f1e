"""`jobs`: list background jobs, newest first."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from common.commands import LotsawaCommand, positive
from jobs.enums import JobState
from jobs.management.output import job_as_json, job_as_text
from jobs.queries import is_worker_alive, newest_jobs

LIMIT = 50


class Command(LotsawaCommand):
    help = "List background jobs, newest first."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", default="", metavar="SLUG", help="only jobs of a project")
        parser.add_argument(
            "--state", default="", choices=JobState.values, metavar="STATE", help="only this state"
        )
        parser.add_argument(
            "--limit", type=positive, default=LIMIT, metavar="N", help=f"at most N ({LIMIT})"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        found = newest_jobs(scope=options["project"], state=options["state"])
        return {
            "is_worker_alive": is_worker_alive(now=timezone.now()),
            "jobs": [job_as_json(job) for job in found[: options["limit"]]],
        }

    def text(self, result: dict[str, Any]) -> str:
        lines = [job_as_text(job) for job in result["jobs"]] or [_("There are no such jobs.")]
        if not result["is_worker_alive"]:
            lines.append(_("No worker is running, so waiting jobs do not start."))
        return "\n".join(lines)
