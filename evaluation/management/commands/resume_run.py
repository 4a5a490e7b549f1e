"""`resume_run ID`: ask the questions of a run that have no answer, in this process."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand, amount
from evaluation.management.run_here import result_text, run_here, run_result, score_here
from evaluation.runs.actions import RunComplete, resume_run
from evaluation.selectors import get_run
from jobs.enums import ENDED_JOB_STATES


class Command(LotsawaCommand):
    """Resume a run, take over from a killed worker, or wait for a run that is in progress.

    If every question has an answer, score the stored answers with the current methods instead.
    """

    help = "Resume a run: ask the questions that have no answer."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, metavar="ID")
        parser.add_argument(
            "--budget", type=amount, metavar="N", help="US dollars; replaces the budget of the run"
        )
        parser.add_argument("--no-wait", action="store_true", help="leave the work to a worker")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        run = get_run(options["run"])
        if run.job.state in ENDED_JOB_STATES:
            try:
                run = resume_run(run=run, budget=options["budget"], actor=None, now=timezone.now())
            except RunComplete as complete:
                self.say(str(complete))
                score_here(run, self.say)
                return run_result(get_run(run.pk))
        if not options["no_wait"]:
            run = run_here(run, self.say)
        return run_result(run)

    def text(self, result: dict[str, Any]) -> str:
        return result_text(result)
