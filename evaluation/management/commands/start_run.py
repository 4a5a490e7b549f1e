"""`start_run PROJECT VERSION MODEL`: run a model on a release, in a worker or (--wait) here."""

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand, amount
from evaluation.management.run_here import result_text, run_here, run_result
from evaluation.management.run_options import (
    RunParts,
    add_run_arguments,
    read_run_arguments,
)
from evaluation.runs.actions import MAX_ROTATION, start_run


class Command(LotsawaCommand):
    help = "Run a model on a release. Without --wait, a worker does the run."

    def arguments(self, parser: ArgumentParser) -> None:
        add_run_arguments(parser)
        parser.add_argument(
            "--published",
            action="store_true",
            help="remove reasoning as the published scorer of TLUE does",
        )
        parser.add_argument(
            "--rotations",
            type=int,
            default=1,
            metavar="N",
            choices=range(1, MAX_ROTATION + 2),
            help="start N runs, each with the options rotated by one more",
        )
        parser.add_argument(
            "--budget", type=amount, metavar="N", help="US dollars; the run ends when it is spent"
        )
        parser.add_argument("--concurrency", type=int, default=8, metavar="C")
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument(
            "--wait", action="store_true", help="run in this process and print the results"
        )
        ways.add_argument(
            "--hold", action="store_true", help="let it wait for batch files (batch_file)"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        parts = read_run_arguments(options)
        results = [_started(self, parts, number, options) for number in range(options["rotations"])]
        return results[0] if len(results) == 1 else {"runs": results}

    def text(self, result: dict[str, Any]) -> str:
        return "\n\n".join(map(result_text, result.get("runs", [result])))


def _started(
    command: Command, parts: RunParts, rotation: int, options: dict[str, Any]
) -> dict[str, Any]:
    run = start_run(
        release=parts.release,
        model_spec=parts.model_spec,
        prompt=parts.prompt,
        settings=replace(parts.settings, rotation=rotation),
        actor=None,
        now=timezone.now(),
    )
    return run_result(run_here(run, command.say) if options["wait"] else run)
