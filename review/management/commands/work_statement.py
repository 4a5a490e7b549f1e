"""`work_statement PROJECT YYYY-MM`: who worked how long in a month, and what it pays."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from common.downloads import csv_lines
from common.months import Month, parse_month
from projects.selectors import get_project
from review.people.statement_rows import COLUMNS, statement_json
from review.people.statements import statement_of


class Command(LotsawaCommand):
    help = "Print a month's statement of work: judgements, active hours, rate and amount of each person."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "month",
            metavar="YYYY-MM",
            type=_month,
            help="a month, from its beginning to its end in UTC",
        )
        parser.add_argument("--format", choices=("csv", "json"), default="csv")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        self.format = options["format"]
        return statement_json(statement_of(get_project(options["project"]), options["month"]))

    def text(self, result: dict[str, Any]) -> str:
        if self.format == "json":
            return json.dumps(result, ensure_ascii=False)
        return "".join(csv_lines(COLUMNS, result["lines"])).removesuffix("\r\n")


def _month(text: str) -> Month:
    try:
        return parse_month(text)
    except ValueError as error:
        words = _("“%(text)s” is not a month. Write one like 2026-11.")
        raise ArgumentTypeError(words % {"text": text[:40]}) from error
