"""`screen_items PROJECT --model M --screens unique,context`: have a model look for doubtful items."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.enums import Screen
from annotation.management.call_jobs import add_call_arguments, selection_of, work_here
from annotation.screening.actions import ScreeningSettings, estimate_of, start_screening
from annotation.screening.queries import results_json
from annotation.translating.queries import estimate_json
from common.commands import LotsawaCommand
from endpoints.specs.selectors import get_model
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Have a model screen items for doubts. Without --wait, a worker does it."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--model", required=True, metavar="M", help="name of the model spec")
        parser.add_argument(
            "--screens",
            required=True,
            metavar="NAME,…",
            help=f"one or more of {', '.join(Screen.values)}",
        )
        add_call_arguments(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        settings = ScreeningSettings(
            model=get_model(project, options["model"]),
            screens=tuple(name.strip() for name in options["screens"].split(",")),
            concurrency=options["concurrency"],
            budget=options["budget"],
            selection=selection_of(options["select"]),
        )
        if options["dry_run"]:
            return estimate_json(estimate_of(project=project, settings=settings))
        started = start_screening(
            project=project, settings=settings, actor=None, now=timezone.now()
        )
        if options["wait"]:
            work_here(started.job)
            started.refresh_from_db()
        return {
            "screening_job": started.pk,
            "job": started.job_id,
            "state": started.job.state,
            **results_json(started),
        }
