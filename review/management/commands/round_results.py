"""`round_results PROJECT ROUND`: what a comparison of systems or a solving round came to."""

from argparse import ArgumentParser
from typing import Any

from common.commands import LotsawaCommand, positive
from common.figure_tables import FORMATS
from projects.selectors import get_project
from review.answers.selectors import round_with_results
from review.answers.tables import results_json, results_of, results_table
from review.selectors import get_round


class Command(LotsawaCommand):
    help = (
        "Print what a closed round came to: each system's approval, ratings, BLEU and chrF++, or "
        "how well experts solve the items of each subject."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("round", type=positive, metavar="ROUND")
        parser.add_argument("--format", choices=[*FORMATS], default="markdown")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        round_ = round_with_results(get_round(get_project(options["project"]), options["round"]))
        self.written = ""
        if options["json"]:
            return results_json(round_)
        write, _media_type, _suffix = FORMATS[options["format"]]
        self.written = write([results_table(results_of(round_))])
        return {}

    def text(self, result: dict[str, Any]) -> str:
        return self.written
