"""`open_round PROJECT`: open the next round of review."""

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.selectors import get_user
from annotation.items.uid_lists import read_uids
from annotation.screening.queries import most_doubted
from common.commands import LotsawaCommand
from common.errors import DomainError
from projects.enums import JUDGES
from projects.models import Project
from projects.selectors import get_project
from review.enums import OpinionsShown, RoundKind, Selection, VerdictRule
from review.rounds.actions.rounds import open_round, preview_of
from review.rounds.actions.settings import RoundSettings, check_compared, check_settings
from review.rounds.forms import item_filter_of
from review.rounds.presenters import preview_context

NAMED = ("all", "not-approved", "approved", "changed", "findings")
DOUBTED = "doubted"
USAGE = (
    "all|not-approved|approved|changed[:ROUND]|findings|filter:QUERY|list:FILE|sample:N|doubted:N"
)


class NobodyAsked(DomainError):
    code = "nobody_asked"
    detail = _(
        "Nobody may judge in this round, so no round was opened. Add reviewers, ask more people, "
        "or repeat the command with --force."
    )


class Select(NamedTuple):
    """A choice of items and what stands behind its colon: of a list, a file or how many are doubted."""

    selection: Selection
    rest: str = ""
    is_doubted: bool = False


def select(text: str) -> Select:
    """Read one of USAGE."""
    name, colon, rest = text.partition(":")
    is_number = rest.isdecimal() and rest.isascii() and 0 < int(rest) < 2**31
    if text in NAMED:
        return Select(Selection(text))
    if name in (Selection.SAMPLE, Selection.CHANGED) and is_number:
        return Select(Selection(name), rest)
    if name == DOUBTED and is_number:
        return Select(Selection.LIST, rest, is_doubted=True)
    if name == Selection.LIST and rest:
        return Select(Selection.LIST, rest)
    if name == Selection.FILTER and colon:
        return Select(Selection.FILTER, rest)
    raise ArgumentTypeError(USAGE)


def kind(text: str) -> str:
    """The kind of round that `text` names; *solve* is short for solving."""
    return RoundKind.SOLVING.value if text == "solve" else text


class Command(LotsawaCommand):
    """Opens the round also where too few people may judge: they are often invited later.

    `warnings` then say what is missing; `discard_round` takes the round back. If nobody at all may
    judge, only `--force` opens it.
    """

    help = "Open the next round: panel-size seats for each chosen item."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        _add_kind(parser)
        _add_items(parser)
        _add_rules(parser)
        _add_people(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        settings = _settings(project, options)
        now = timezone.now()
        check_settings(project, settings, now=now)
        preview = preview_of(project, settings)
        if not preview.forecast.judges and not options["force"]:
            raise NobodyAsked
        round_ = open_round(project=project, settings=settings, actor=None, now=now)
        told = preview_context(project, preview, today=timezone.localdate(), due_on=settings.due_on)
        more = [told["late"], told["no_senior"], told["left_out_text"]]
        warnings = [*told["shortages"], *filter(None, more)]
        for warning in warnings:
            self.say(warning)
        return {
            "project": project.slug,
            "round": round_.number,
            "id": round_.pk,
            "panels": round_.panel_count,
            "seats": round_.seat_count,
            "panel_size": round_.panel_size,
            "warnings": warnings,
        }


def _settings(project: Project, options: dict[str, Any]) -> RoundSettings:
    selection, rest, _is_doubted = options["select"]
    sample_size = options["sample"]
    if selection == Selection.SAMPLE and sample_size is None:
        sample_size = int(rest)
    query = QueryDict(rest).dict() if selection == Selection.FILTER else {}
    return RoundSettings(
        panel_size=options["panel_size"],
        selection=selection,
        sample_size=sample_size,
        seed=options["seed"],
        uids=_listed(project, options["select"]) if selection == Selection.LIST else (),
        item_filter=item_filter_of(project, query),
        since_round=int(rest) if selection == Selection.CHANGED and rest else None,
        verdict_rule=VerdictRule(options["verdict_rule"]),
        score_gap=options["score_gap"],
        reservation_minutes=options["reservation_minutes"],
        cap_per_person=options["cap_per_person"],
        is_same_panel_allowed=options["same_panel"],
        due_on=options["due_on"],
        roles=options["role"],
        languages=options["language"],
        excluded_people=[get_user(email).pk for email in options["exclude"]],
        needs_expert=options["needs_expert"],
        substitute=get_user(options["substitute"]).pk if options["substitute"] else None,
        control_percent=options["controls"],
        uncertain_seats=options["further_seats"],
        has_blind_reading=options["blind_reading"],
        opinions_shown=OpinionsShown(options["opinions"]),
        kind=_kind(project, options["kind"], options["systems"]),
    )


def _kind(project: Project, wanted: str | None, systems: str | None) -> RoundKind:
    """Systems ask for a comparison. Raises OtherSystems where it would show others too."""
    if systems is None:
        return RoundKind(wanted or RoundKind.REVIEW)
    if wanted not in (None, RoundKind.COMPARISON):
        raise CommandError(gettext("--systems is for comparisons only."), returncode=2)
    check_compared(project, {name.strip() for name in systems.split(",")})
    return RoundKind.COMPARISON


def _listed(project: Project, chosen: Select) -> list[str]:
    """The uids of a file, or of the items that screening doubts most. Raises ListUnreadable."""
    if chosen.is_doubted:
        return most_doubted(project, int(chosen.rest))
    return read_uids(Path(chosen.rest))


def _add_kind(parser: ArgumentParser) -> None:
    """Options that say what is asked."""
    parser.add_argument(
        "--kind",
        type=kind,
        choices=RoundKind.values,
        help="review (the default) judges texts, comparison rates the texts of all systems "
        "without their names, solving (or solve) answers the items without their keys",
    )
    parser.add_argument(
        "--systems",
        metavar="A,B",
        help="compare the texts of these systems; they must be all systems of the project",
    )


def _add_items(parser: ArgumentParser) -> None:
    """Options that say which items a round takes."""
    parser.add_argument(
        "--select",
        type=select,
        default=Select(Selection.NOT_APPROVED),
        metavar=USAGE,
        help="list:FILE has one uid per line; doubted:N takes the N items that screening doubts "
        "most; filter:QUERY is what the address of a filtered list "
        "of items has after its question mark",
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="draw N of these items at random, from each subject its share",
    )
    parser.add_argument("--seed", type=int, default=0)


def _add_rules(parser: ArgumentParser) -> None:
    """Options that say how the items are judged."""
    parser.add_argument("--panel-size", type=int, default=2)
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
    parser.add_argument("--due-on", type=date.fromisoformat, metavar="YYYY-MM-DD")
    parser.add_argument(
        "--controls",
        type=int,
        default=0,
        metavar="PERCENT",
        help="control items for each 100 items: approved items, half of them with a planted fault",
    )
    parser.add_argument(
        "--further-seats",
        type=int,
        default=0,
        metavar="N",
        help="further judgements to ask for where a panel disagrees, up to 3 (default: 0)",
    )
    parser.add_argument(
        "--opinions",
        choices=OpinionsShown.values,
        default=OpinionsShown.NOBODY.value,
        help="who sees what models said in screening, never before the verdict (default: nobody)",
    )
    parser.add_argument(
        "--blind-reading",
        action="store_true",
        help="reviewers read the target text alone before they see the source and the key",
    )


def _add_people(parser: ArgumentParser) -> None:
    """Options that say whom a round asks."""
    parser.add_argument("--role", action="append", default=[], choices=JUDGES)
    parser.add_argument(
        "--language", action="append", default=[], help="ask only people who read it"
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="EMAIL", help="a person not to ask"
    )
    parser.add_argument(
        "--needs-expert",
        action="store_true",
        help="one judgement of each item comes from an expert in its subject",
    )
    parser.add_argument(
        "--substitute",
        metavar="EMAIL",
        help="who settles the disputes that no senior may settle; they judge nothing in the round",
    )
    parser.add_argument("--force", action="store_true", help="open it even if nobody may judge")
