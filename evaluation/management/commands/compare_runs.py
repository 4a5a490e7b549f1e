"""`compare_runs PROJECT RUN RUN…`: the tables of a comparison."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext

from common.commands import LotsawaCommand, positive
from common.figure_tables import Table, as_json
from evaluation.comparisons.catalogue import ALL_TABLES, with_unfinished
from evaluation.comparisons.papers import answers_table
from evaluation.comparisons.pictures import MEDIA_TYPES, file_of
from evaluation.comparisons.queries import OWN, Comparison
from evaluation.comparisons.selectors import (
    RunsNotComparable,
    comparison_of,
    table_and_method,
    table_of,
)
from evaluation.selectors import RunUnknown, get_run
from projects.selectors import get_project
from scoring.scorers import SCORERS

ANSWERS = "answers"


class Command(LotsawaCommand):
    help = "Compare runs on the items that they share, with intervals, and print one table."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("runs", nargs="+", type=positive, metavar="RUN")
        parser.add_argument("--table", choices=[*ALL_TABLES, ANSWERS], default="")
        parser.add_argument(
            "--item", metavar="UID", help=f"with --table {ANSWERS}: the item; its key is printed"
        )
        parser.add_argument("--method", choices=[*SCORERS, OWN], default="")
        parser.add_argument("--format", choices=["json", *MEDIA_TYPES], default="markdown")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project, numbers = get_project(options["project"]), list(dict.fromkeys(options["runs"]))
        if len(numbers) < 2:
            words = gettext("Name two runs or more by their numbers.")
            raise RunsNotComparable(fields={"runs": [words]})
        runs = [get_run(number) for number in numbers]
        if not any(run.release.project_id == project.pk for run in runs):
            raise RunUnknown(pk=numbers[0])
        name, method = table_and_method(options["table"], options["method"])
        table = _table(comparison_of(runs, method), name, options["item"])
        self.written = ""
        if options["json"] or options["format"] == "json":
            options["json"] = True
            return as_json(table)
        self.written = file_of(table, options["format"], stem="").text
        return {}

    def text(self, result: dict[str, Any]) -> str:
        return self.written


def _table(found: Comparison, name: str, uid: str | None) -> Table:
    if (name == ANSWERS) != bool(uid):
        raise CommandError(f"Use --table {ANSWERS} and --item UID together.", returncode=2)
    table = answers_table(found, uid) if uid else table_of(name, found)
    return with_unfinished(table, found)
