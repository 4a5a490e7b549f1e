"""`translate_items PROJECT --model M --strategy S --system NAME`: have a model translate items."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.call_jobs import (
    add_call_arguments,
    add_hold,
    shared_settings,
    start_and_report,
)
from annotation.translating.actions import (
    TranslationSettings,
    estimate_translation,
    start_translation,
)
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.results import results_json, results_of
from common.commands import LotsawaCommand, positive
from endpoints.specs.selectors import get_model
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Have a model translate the items that have no text of a system. Without --wait, a worker does it."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--strategy", choices=tuple(STRATEGIES), default="single")
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument("--judge", metavar="M", help="default: the model itself")
        parser.add_argument("--samples", type=positive, default=3, metavar="N")
        add_hold(parser)
        add_call_arguments(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        settings = TranslationSettings(
            system=options["system"],
            strategy=options["strategy"],
            judge=get_model(project, options["judge"]) if options["judge"] else None,
            samples=options["samples"],
            **shared_settings(project, options),
        )
        return start_and_report(
            options, {"project": project, "settings": settings}, name="translation_job",
            start=start_translation, estimate=estimate_translation,
            results=lambda started: results_json(results_of(started)),
        )  # fmt: skip
