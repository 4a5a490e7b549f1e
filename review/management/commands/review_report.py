"""`review_report PROJECT`: the figures that a paper prints."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext as _

from annotation.lookups import get_project
from common.commands import LotsawaCommand
from review import queries, words
from review.report_formats import ReportRow, as_csv, as_latex, as_markdown

WRITERS = {"csv": as_csv, "latex": as_latex, "markdown": as_markdown}


class Command(LotsawaCommand):
    help = "Print the stage table and the table of systems, with intervals and counts."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--format", choices=sorted(WRITERS), default="markdown")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        self.project = get_project(options["project"])
        self.writer = WRITERS[options["format"]]
        return queries.report(self.project)

    def text(self, result: dict[str, Any]) -> str:
        stages = words.stage_rows(queries.stage_table(self.project))
        systems = [ReportRow(row.system, row.figures) for row in queries.system_table(self.project)]
        tables = [(stages, words.report_words()), (systems, words.report_words(_("System")))]
        return "\n".join(self.writer(rows, said) for rows, said in tables if rows)
