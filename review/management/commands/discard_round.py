"""`discard_round PROJECT NUMBER`: delete a round in which nothing was judged."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from projects.selectors import get_project
from review.rounds.actions.rounds import discard_round
from review.selectors import get_round


class Command(LotsawaCommand):
    help = "Delete a round that has no judgement yet; its items are as before."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("number", metavar="NUMBER", type=int)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        round_ = get_round(project, options["number"])
        discard_round(round_=round_, actor=None, now=timezone.now())
        return {
            "project": project.slug,
            "round": round_.number,
            "discarded": True,
            "panels": round_.panel_count,
        }
