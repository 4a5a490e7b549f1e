"""`open_round PROJECT`: open the next round of review."""

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from typing import Any, NamedTuple

from django.utils import timezone

from annotation.lookups import get_project
from common.commands import LotsawaCommand
from review.actions.rounds import RoundSettings, open_round
from review.enums import Selection, VerdictRule
from review.models import Assignment, Panel


class Select(NamedTuple):
    selection: Selection
    size: int | None


def select(text: str) -> Select:
    """Read `all`, `not-approved` or `sample:N`."""
    name, _colon, size = text.partition(":")
    if name == Selection.SAMPLE and size.isdecimal() and int(size) > 0:
        return Select(Selection.SAMPLE, int(size))
    if text in (Selection.ALL, Selection.NOT_APPROVED):
        return Select(Selection(text), None)
    raise ArgumentTypeError("all, not-approved or sample:N")


class Command(LotsawaCommand):
    help = "Open the next round: panel-size seats for each chosen item."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--panel-size", type=int, default=2)
        parser.add_argument(
            "--select",
            type=select,
            default=Select(Selection.NOT_APPROVED, None),
            metavar="all|not-approved|sample:N",
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--verdict-rule", choices=VerdictRule.values, default="unanimous")
        parser.add_argument("--score-gap", type=int, default=2)
        parser.add_argument("--reservation-minutes", type=int, default=30)
        parser.add_argument("--cap-per-person", type=int)
        parser.add_argument(
            "--same-panel",
            action=BooleanOptionalAction,
            help="whether last round's judges may judge an item again (default: only where there "
            "are too few others)",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        round_ = open_round(
            project=get_project(options["project"]),
            settings=RoundSettings(
                panel_size=options["panel_size"],
                selection=options["select"].selection,
                sample_size=options["select"].size,
                seed=options["seed"],
                verdict_rule=VerdictRule(options["verdict_rule"]),
                score_gap=options["score_gap"],
                reservation_minutes=options["reservation_minutes"],
                cap_per_person=options["cap_per_person"],
                is_same_panel_allowed=options["same_panel"],
            ),
            actor=None,
            now=timezone.now(),
        )
        return {
            "project": options["project"],
            "round": round_.number,
            "id": round_.pk,
            "panels": Panel.objects.filter(round=round_).count(),
            "seats": Assignment.objects.filter(round=round_).count(),
            "panel_size": round_.panel_size,
        }
