"""`explain_items PROJECT --model M`: have a model explain items; kept only where its answer is the key."""

from argparse import ArgumentParser
from typing import Any

from annotation.asking.actions import AskingSettings
from annotation.management.call_jobs import add_call_arguments, shared_settings, start_and_report
from common.commands import LotsawaCommand
from projects.selectors import get_project
from review.explaining.actions import estimate_of, start_explaining
from review.explaining.queries import results_json


class Command(LotsawaCommand):
    help = "Have a model explain items that have no explanation. Without --wait, a worker does it."

    def arguments(self, parser: ArgumentParser) -> None:
        add_call_arguments(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        settings = AskingSettings(**shared_settings(project, options))
        return start_and_report(
            options, {"project": project, "settings": settings}, name="explanation_job",
            start=start_explaining, estimate=estimate_of, results=results_json,
        )  # fmt: skip
