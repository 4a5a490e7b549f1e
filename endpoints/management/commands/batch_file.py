"""`batch_file JOB --out FILE`: ask the calls of a job by batch file."""

from argparse import ArgumentParser
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand, amount
from endpoints.held.actions import give_answers, held_work, hold_calls, missing_lines
from endpoints.held.kinds import HeldWork
from endpoints.held.taking import take_answers
from jobs.management.here import work_here
from jobs.models import Job
from jobs.selectors import get_job


class Command(LotsawaCommand):
    help = (
        "Write the calls that a translation job, a screening job or a run lacks as a batch file, or take "
        "the answers. The job waits for its file from then on."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", type=int, metavar="JOB", help="number of the job")
        ways = parser.add_mutually_exclusive_group(required=True)
        ways.add_argument("--out", type=Path, metavar="FILE", help="write the missing calls")
        parser.add_argument("--budget", type=amount, metavar="N", help="a new budget, US dollars")
        ways.add_argument(
            "--answers", type=Path, nargs="+", metavar="FILE", help="output and error files"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        job = get_job(options["job"])
        work = held_work(job)
        if options["out"]:
            return self._write(work, options)
        return self._take(job, options["answers"])

    def _write(self, work: HeldWork, options: dict[str, Any]) -> dict[str, Any]:
        """Hold the job, and write its next file line by line; end it if no call is left."""
        now = timezone.now()
        hold_calls(work, actor=None, now=now, budget=options["budget"])
        lines = missing_lines(work)
        with options["out"].open("wb") as file:
            count = sum(1 for line in lines if file.write(line))
        if not count:
            take_answers(work, {}, now)
        work.job.refresh_from_db()
        return {"requests": count, **asdict(work.step()), "state": work.job.state}

    def _take(self, job: Job, paths: list[Path]) -> dict[str, Any]:
        """Store the answers in this process."""
        with ExitStack() as stack:
            files = [(path.name, stack.enter_context(path.open("rb"))) for path in paths]
            storing = give_answers(job, files, actor=None, now=timezone.now())
        return dict(work_here(storing).result)
