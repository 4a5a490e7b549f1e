"""`review_report PROJECT`: the figures that a paper prints."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext as _

from annotation.lookups import get_project
from common.commands import LotsawaCommand
from review import queries, words
from review.report_formats import as_csv, as_latex, as_markdown

FORMATS = ("csv", "latex", "markdown")


class Command(LotsawaCommand):
    help = "Print the stage table and the table of systems, with intervals and counts."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--format", choices=FORMATS, default="markdown")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        self.format = options["format"]
        self.stages, self.systems = queries.stage_table(project), queries.system_table(project)
        return queries.report_of(project, self.stages, self.systems)

    def text(self, result: dict[str, Any]) -> str:
        """One CSV table with all rows, or a table of stages and one of systems for a paper."""
        stages, systems = words.stage_rows(self.stages), words.system_rows(self.systems)
        if self.format == "csv":
            return as_csv([*stages, *systems], words.report_words())
        write = as_latex if self.format == "latex" else as_markdown
        tables = [(stages, words.report_words()), (systems, words.report_words(_("System")))]
        return "\n".join(write(rows, said) for rows, said in tables if rows)
