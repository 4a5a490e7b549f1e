"""`check_release PROJECT`: what blocks a release, and what should be known before it."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from projects.selectors import get_project
from releases.queries import uid_list
from releases.readiness import readiness


class Command(LotsawaCommand):
    help = "Say what blocks a release of the project. Exits with 1 if anything does."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        found = readiness(get_project(options["project"]))
        self.exit_code = 0 if found.is_ready else 1
        return found.as_json()

    def text(self, result: dict[str, Any]) -> str:
        kinds = ((_("blocks"), result["blocking"]), (_("warning"), result["warnings"]))
        lines = [
            f"{kind}: {matter['detail']} ({matter['count']}) {uid_list(matter['items'])}".rstrip()
            for kind, matters in kinds
            for matter in matters
        ]
        fitting = _("The version that fits the changes is %s.") % result["proposed_version"]
        return "\n".join([*lines, fitting])
