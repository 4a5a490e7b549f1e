"""`check_release PROJECT`: say what blocks a release and what warns."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_lazy as _

from common.commands import LotsawaCommand
from common.errors import DomainError
from projects.selectors import get_project
from releases.enums import HiddenPart
from releases.management.readiness_lines import readiness_lines
from releases.readiness.report import readiness
from releases.splits import EVERYTHING


class ShareInvalid(DomainError):
    code = "share_invalid"
    detail = _("Enter a share from 0 to 1 for --black-box.")
    status = 400


class Command(LotsawaCommand):
    help = "Say what blocks a release of the project. Exits with 1 if anything does."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "--black-box",
            type=float,
            metavar="SHARE",
            help="share of the test items to hide; as in the latest release if not given",
        )

        parser.add_argument(
            "--hidden-part",
            choices=HiddenPart.values,
            help="what to publish of hidden items; as in the latest release if not given",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        share = options["black_box"]
        if share is not None and not 0 <= share <= EVERYTHING:
            raise ShareInvalid
        found = readiness(project, black_box_share=share, hidden_part=options["hidden_part"])
        self.exit_code = 0 if found.is_ready else 1
        return found.as_json()

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(readiness_lines(result))
