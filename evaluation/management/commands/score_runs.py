"""`score_runs`: score stored answers with the current methods, for example after an upgrade."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from evaluation.actions.scores import AnswersBeingRead
from evaluation.management.run_here import score_here
from evaluation.models import Run
from projects.selectors import get_project


class Command(LotsawaCommand):
    """Calls no endpoint. Skips runs in progress, which score their answers themselves."""

    help = "Score the stored answers of all runs with the current version of each method."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", nargs="?", metavar="PROJECT", help="default: all projects")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        runs = Run.objects.select_related("release__project", "job").order_by("pk")
        if options["project"]:
            runs = runs.filter(release__project=get_project(options["project"]))
        read, underway = [], []
        for run in runs:
            try:
                if score_here(run, self.say):
                    read.append(run.pk)
            except AnswersBeingRead:
                underway.append(run.pk)
        return {"read": read, "underway": underway}

    def text(self, result: dict[str, Any]) -> str:
        return _(
            "Runs scored again: %(read)s. Skipped because they are in progress: %(underway)s."
        ) % {
            "read": len(result["read"]),
            "underway": len(result["underway"]),
        }
