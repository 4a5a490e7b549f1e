"""`translate_items PROJECT --model M --strategy S --system NAME`: have a model translate items."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.management.call_jobs import add_call_arguments, selection_of, work_here
from annotation.translating.actions import (
    TranslationSettings,
    estimate_translation,
    start_translation,
)
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.queries import estimate_json
from annotation.translating.results import results_json, results_of
from common.commands import LotsawaCommand, positive
from endpoints.specs.selectors import get_model
from projects.models import Project
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Have a model translate the items that have no text of a system. Without --wait, a worker does it."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--model", required=True, metavar="M", help="name of the model spec")
        parser.add_argument("--strategy", choices=tuple(STRATEGIES), default="single")
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument("--judge", metavar="M", help="default: the model itself")
        parser.add_argument("--samples", type=positive, default=3, metavar="N")
        add_call_arguments(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        settings = _settings(project, options)
        if options["dry_run"]:
            return estimate_json(estimate_translation(project=project, settings=settings))
        started = start_translation(
            project=project, settings=settings, actor=None, now=timezone.now()
        )
        if options["wait"]:
            work_here(started.job)
            started.refresh_from_db()
        return {
            "translation_job": started.pk,
            "job": started.job_id,
            "state": started.job.state,
            **results_json(results_of(started)),
        }


def _settings(project: Project, options: dict[str, Any]) -> TranslationSettings:
    return TranslationSettings(
        system=options["system"],
        strategy=options["strategy"],
        model=get_model(project, options["model"]),
        judge=get_model(project, options["judge"]) if options["judge"] else None,
        samples=options["samples"],
        concurrency=options["concurrency"],
        budget=options["budget"],
        selection=selection_of(options["select"]),
    )
