"""`score_runs`: score stored answers with the current methods, or with further ones."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from evaluation.management.run_here import score_here
from evaluation.models import Run
from evaluation.results.actions import AnswersBeingRead, MethodsInvalid
from evaluation.selectors import get_run
from projects.selectors import get_project
from scoring.scorers import SCORERS


class Command(LotsawaCommand):
    """Calls no endpoint. Skips runs in progress, which score their answers themselves."""

    help = "Score the stored answers of all runs with the current version of each method."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", nargs="?", metavar="PROJECT", help="default: all projects")
        parser.add_argument("--run", type=int, metavar="ID", help="only this run")
        parser.add_argument(
            "--methods",
            type=_methods,
            default=(),
            metavar="M",
            help=f"methods to add to each run, comma-separated: {', '.join(SCORERS)}",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        runs = Run.objects.select_related("release__project", "job").order_by("pk")
        if options["project"]:
            runs = runs.filter(release__project=get_project(options["project"]))
        if options["run"]:
            runs = runs.filter(pk=get_run(options["run"]).pk)
        read, underway, unfit = [], [], []
        for run in runs:
            try:
                if score_here(run, self.say, options["methods"]):
                    read.append(run.pk)
            except AnswersBeingRead:
                underway.append(run.pk)
            except MethodsInvalid:
                unfit.append(run.pk)
        return {"read": read, "underway": underway, "unfit": unfit}

    def text(self, result: dict[str, Any]) -> str:
        return _(
            "Runs scored again: %(read)s. Skipped because they are in progress: %(underway)s. "
            "Skipped because they asked no items that the methods score: %(unfit)s."
        ) % {name: len(pks) for name, pks in result.items()}


def _methods(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in SCORERS]
    if unknown or not names:
        words = _("unknown method %(names)s; the methods are: %(known)s")
        values = {"names": ", ".join(unknown), "known": ", ".join(SCORERS)}
        raise ArgumentTypeError(words % values)
    return names
