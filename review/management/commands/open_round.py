"""`open_round PROJECT`: open the next round of review."""

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from typing import Any, NamedTuple

from django.utils import timezone

from common.commands import LotsawaCommand
from projects.selectors import get_project
from review.actions.rounds import RoundSettings, chosen_items, open_round, preview_of
from review.enums import Selection, VerdictRule
from review.presenters import preview_context


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
    """Opens the round also where too few people may judge: they are often invited later.

    `warnings` then say what is missing; `discard_round` takes the round back.
    """

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
        project, settings = get_project(options["project"]), _settings(options)
        preview = preview_of(project, chosen_items(project, settings), settings)
        round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
        warnings = preview_context(project, preview)["shortages"]
        for warning in warnings:
            self.say(warning)
        return {
            "project": project.slug,
            "round": round_.number,
            "id": round_.pk,
            "panels": round_.panel_count,
            "seats": round_.panel_count * round_.panel_size,
            "panel_size": round_.panel_size,
            "warnings": warnings,
        }


def _settings(options: dict[str, Any]) -> RoundSettings:
    return RoundSettings(
        panel_size=options["panel_size"],
        selection=options["select"].selection,
        sample_size=options["select"].size,
        seed=options["seed"],
        verdict_rule=VerdictRule(options["verdict_rule"]),
        score_gap=options["score_gap"],
        reservation_minutes=options["reservation_minutes"],
        cap_per_person=options["cap_per_person"],
        is_same_panel_allowed=options["same_panel"],
    )
