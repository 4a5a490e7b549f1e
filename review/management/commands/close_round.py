"""`close_round PROJECT NUMBER`: close a round and freeze its figures."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from projects.selectors import get_project
from review.rounds.actions.rounds import close_round
from review.rounds.queries import round_progress
from review.selectors import get_round


class Command(LotsawaCommand):
    help = "Close a round: its figures become final, and undecided items stay undecided."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("number", metavar="NUMBER", type=int)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        round_ = close_round(
            round_=get_round(project, options["number"]), actor=None, now=timezone.now()
        )
        progress = round_progress(round_)
        return {
            "project": project.slug,
            "round": round_.number,
            "state": round_.state,
            "panels": progress.panels,
            "settled": progress.settled,
            "disputed": progress.disputed,
            "unfinished": progress.panels - progress.settled - progress.disputed,
            "figures": round_.figures,
        }

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(f"{name}: {value}" for name, value in result.items() if name != "figures")
