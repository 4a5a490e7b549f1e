"""`review_report PROJECT`: the figures that a paper prints."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from projects.selectors import get_project
from review import labels, queries
from review.report_formats import as_csv, as_latex, as_markdown

FORMATS = ("csv", "latex", "markdown")


class Command(LotsawaCommand):
    help = (
        "Print the figures of each stage and of each translation system, with intervals; as CSV "
        "and JSON also those of each subject in each round."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--format", choices=FORMATS, default="markdown")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        self.format = options["format"]
        self.stages, self.systems = queries.stage_table(project), queries.system_table(project)
        self.subjects = queries.subject_tables(project)
        return queries.report_of(project, self.stages, self.systems, self.subjects)

    def text(self, result: dict[str, Any]) -> str:
        """One CSV table with all rows, or a table of stages and one of systems for a paper."""
        stages, systems = labels.stage_rows(self.stages), labels.system_rows(self.systems)
        if self.format == "csv":
            rows = [*stages, *systems, *labels.subject_rows(self.subjects)]
            return as_csv(rows, labels.report_labels())
        write = as_latex if self.format == "latex" else as_markdown
        tables = [(stages, labels.report_labels()), (systems, labels.report_labels(_("System")))]
        return "\n".join(write(rows, said) for rows, said in tables if rows)
