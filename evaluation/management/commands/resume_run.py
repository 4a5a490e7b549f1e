"""`resume_run ID`: ask what a run has no answer to, in this process."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from common.enums import ENDED_JOB_STATES
from evaluation.actions import resume_run, score_missing
from evaluation.actions.runs import RunComplete
from evaluation.lookups import get_run
from evaluation.management.run_here import result_text, run_here, run_result


class Command(LotsawaCommand):
    """A run whose worker was killed is taken up as it is; one that waits or works is joined.

    Of one that is complete the stored answers are scored by methods that are newer than its scores.
    """

    help = "Go on with a run where it stopped: exactly what has no answer is asked."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, metavar="ID")
        parser.add_argument("--no-wait", action="store_true", help="leave it to a worker")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        run = get_run(options["run"])
        if run.job.state in ENDED_JOB_STATES:
            try:
                run = resume_run(run=run, actor=None, now=timezone.now())
            except RunComplete as complete:
                self.say(str(complete))
                score_missing(run=run)
                return run_result(run)
        if not options["no_wait"]:
            run = run_here(run, self.say)
        return run_result(run)

    def text(self, result: dict[str, Any]) -> str:
        return result_text(result)
