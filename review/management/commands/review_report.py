"""`review_report PROJECT`: the figures that a paper prints."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand, positive
from common.figure_tables import FORMATS
from projects.selectors import get_project
from review.report.selectors import closed_round_number
from review.report.tables import TABLES, make_tables, report_json


class Command(LotsawaCommand):
    help = (
        "Print the figures of review with intervals: by stage, system, subject, category, "
        "criterion, reviewer and pair of reviewers."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--table", choices=TABLES, help="one table (default: all of them)")
        parser.add_argument("--format", choices=[*FORMATS], default="markdown")
        parser.add_argument(
            "--as-of", type=positive, metavar="N", help="as of closed round N (default: now)"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        as_of = closed_round_number(project, options["as_of"])
        self.written, table = "", options["table"]
        if options["json"]:
            return report_json(project, table=table, as_of=as_of, is_named=True)
        write, _media_type, _suffix = FORMATS[options["format"]]
        names = TABLES if table is None else (table,)
        self.written = write(make_tables(project, names, as_of=as_of))
        if not self.written:
            self.say(_("No figures yet. They appear as soon as an item has all its judgements."))
        return {}

    def text(self, result: dict[str, Any]) -> str:
        return self.written
