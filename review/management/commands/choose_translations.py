"""`choose_translations PROJECT (--system NAME | --best-of ROUND)`: whose texts go on to the next round."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from annotation.items.selectors import get_item
from common.commands import LotsawaCommand, positive
from projects.models import Project
from projects.selectors import get_project
from review.choosing.actions.choosing import (
    Chosen,
    choose_best_ranked,
    choose_for_item,
    choose_system,
)
from review.choosing.choices import chosen_words
from review.rounds.forms import item_filter_of
from review.selectors import get_round


class Command(LotsawaCommand):
    help = "Choose a system's text, or the one that a comparison found best, for the next round."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--system", metavar="NAME")
        what.add_argument("--best-of", type=positive, metavar="ROUND")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--item", metavar="UID", help="for this item only")
        which.add_argument(
            "--filter",
            default="",
            metavar="QUERY",
            help="for these items: what the address of a filtered list of items has after its "
            "question mark",
        )
        parser.add_argument(
            "--include-reviewed",
            action="store_true",
            help="also where people have judged, decided on or corrected the present text",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        done = _choose(project, options)
        for words in chosen_words(done):
            self.say(words)
        return {"project": project.slug, **asdict(done)}


def _choose(project: Project, options: dict[str, Any]) -> Chosen:
    how: dict[str, Any] = {
        "is_reviewed_included": options["include_reviewed"],
        "actor": None,
        "now": timezone.now(),
    }
    if options["best_of"] is not None:
        return choose_best_ranked(round_=get_round(project, options["best_of"]), **how)
    if options["item"]:
        item = get_item(project, options["item"])
        return choose_for_item(item=item, system=options["system"], **how)
    wanted = item_filter_of(project, QueryDict(options["filter"]).dict())
    return choose_system(project=project, system=options["system"], item_filter=wanted, **how)
