"""`calibrate_screens PROJECT`: compare the opinions of screening with what experts decided."""

from argparse import ArgumentParser
from typing import Any

from common.commands import LotsawaCommand
from projects.selectors import get_project
from review.screening.queries import calibration_json, calibrations


class Command(LotsawaCommand):
    help = "Precision and recall of each screen at every threshold, on texts that experts judged."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        found = calibrations(get_project(options["project"]))
        return {"screens": [calibration_json(each) for each in found]}
