"""`import_terms PROJECT FILE`: add the terms of a CSV or TBX file to a glossary."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.imports.terms import perform_term_import, start_term_import, term_import_result
from common.commands import LotsawaCommand
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.selectors import get_project

COUNTED = "{created} new, {changed} changed, {unchanged} unchanged"


class Command(LotsawaCommand):
    help = "Add and change terms from a file: all of them or none. Other terms stay as they are."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("file", type=Path, metavar="FILE", help="CSV or TBX-Basic")
        parser.add_argument("--dry-run", action="store_true", help="read and check, write nothing")
        parser.add_argument(
            "--wait", action="store_true", help="import in this process and print the result"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        with options["file"].open("rb") as file:
            started = start_term_import(
                project=get_project(options["project"]),
                file=file,
                name=options["file"].name,
                is_dry_run=options["dry_run"],
                actor=None,
                now=timezone.now(),
            )
        if not options["wait"]:
            return {"job": started.job_id}
        return self._report_of(run_now(started.job, perform_term_import))

    def text(self, result: dict[str, Any]) -> str:
        if "outcome" not in result:
            return f"Job {result['job']} waits for a worker."
        problems = result.get("problems")
        if problems is None:
            return COUNTED.format(**result)
        return "\n".join(f"{p['row']}\t{p['field']}\t{p['message']}" for p in problems)

    def _report_of(self, job: Job) -> dict[str, Any]:
        """Return the report; the exit code is 1 unless the job is done."""
        if job.state != JobState.DONE:
            self.exit_code = 1
            self.say(job.error)
        return {"job": job.pk, **term_import_result(job)}
