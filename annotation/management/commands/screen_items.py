"""`screen_items PROJECT --model M --screens unique,context`: have a model look for doubtful items."""

from argparse import ArgumentParser
from typing import Any

from annotation.enums import Screen
from annotation.management.call_jobs import (
    add_call_arguments,
    add_hold,
    shared_settings,
    start_and_report,
)
from annotation.screening.actions import ScreeningSettings, estimate_of, start_screening
from annotation.screening.queries import results_json
from common.commands import LotsawaCommand
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Have a model screen items for doubts. Without --wait, a worker does it."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--screens",
            required=True,
            metavar="NAME,…",
            help=f"one or more of {', '.join(Screen.values)}",
        )
        add_hold(parser)
        add_call_arguments(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        screens = tuple(name.strip() for name in options["screens"].split(","))
        settings = ScreeningSettings(screens=screens, **shared_settings(project, options))
        return start_and_report(
            options, {"project": project, "settings": settings}, name="screening_job",
            start=start_screening, estimate=estimate_of, results=results_json,
        )  # fmt: skip
