"""Figures and battles made ready for a page."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from arena.models import ArenaCall, Battle, Seat
from arena.queries import answer_texts
from releases.models import ReleaseItem
from review.figures.labels import simulated_text

STYLES: Final = {
    "length": _("length"),
    "headings": _("headings"),
    "lists": _("lists"),
    "bold": _("bold text"),
}


@dataclass(frozen=True, slots=True)
class BattleRow:
    """A battle with both answers and what the judges said; `verdicts` as the judges saw the sides."""

    battle: Battle
    first: str
    second: str
    verdicts: Sequence[ArenaCall]


@dataclass(frozen=True, slots=True)
class Pair:
    """What a person sees of a battle: the question and two answers, and nothing of whose they are."""

    seat: Seat
    item: ReleaseItem
    question: str
    a: str
    b: str


def pair_of(seat: Seat) -> Pair:
    """Return the pair of a seat with its sides as drawn; the battle must be loaded."""
    battle = seat.battle
    texts, item = answer_texts([battle]), battle.release_item
    first, second = (
        texts.get((item.pk, side.run_id or 0), "") for side in (battle.first, battle.second)
    )
    a, b = (second, first) if seat.is_swapped else (first, second)
    return Pair(seat, item, item.revision.question, a, b)


def panel_of(figures: Mapping[str, Any], simulated: int) -> dict[str, Any]:
    """Return what the tables of ranks and of judges show, on the page of an arena and on a leaderboard.

    Programs gave `simulated` of the verdicts of people.
    """
    judges = _judge_rows(figures)
    unused = [judge for judge in judges if not judge["is_used"]]
    return {
        "standings": _standing_rows(figures),
        "judges": judges,
        "left_out": [judge for judge in unused if judge["left_out_reason"]],
        "disagreeing": [judge for judge in unused if not judge["left_out_reason"]],
        "bound": _percent(figures.get("bound")),
        "without_verdicts": figures.get("without_verdicts", []),
        "unmet_pairs": figures.get("unmet_pairs", 0),
        "reference": figures.get("reference", ""),
        "people": figures.get("people", {}),
        "simulated_mark": simulated_text(simulated) if simulated else "",
    }


def _standing_rows(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each contestant with its rate by each judge, None where that judge said nothing."""
    names = [judge["name"] for judge in figures.get("judges", [])]
    return [
        each | {"rates": [(name, each["by_judge"].get(name)) for name in names]}
        for each in figures.get("contestants", [])
    ]


def _judge_rows(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the judges with shares in percent, as the page prints them."""
    return [
        {"left_out_reason": ""}
        | judge
        | {
            "flips": _percent(judge["order"]["flips"]),
            "first_wins": _percent(judge["order"]["first_wins"]),
            "agreement": _percent(judge["people"]["share"]),
        }
        for judge in figures.get("judges", [])
    ]


def style_rows(figures: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the features of style in words, with their coefficients."""
    return [(str(STYLES[name]), value) for name, value in figures.get("styles", {}).items()]


def correlation_rows(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return Spearman's ρ of each two judges with its interval, from -1 to 1."""
    found = []
    for row in figures.get("correlations", []):
        one, other = row["judges"]
        rate = row["spearman"] or {}
        shares = {"rho": rate.get("share"), "low": rate.get("low"), "high": rate.get("high")}
        scaled = {name: None if value is None else value / 100 for name, value in shares.items()}
        found.append({"one": one, "other": other, **scaled})
    return found


def battle_rows(battles: Sequence[Battle]) -> list[BattleRow]:
    """Return battles with texts and judgements, with two queries."""
    texts = answer_texts(battles)
    calls: dict[int, list[ArenaCall]] = defaultdict(list)
    rows = ArenaCall.objects.filter(battle__in=battles).exclude(verdict="")
    for call in rows.select_related("judge").order_by("judge", "is_swapped"):
        calls[call.battle_id].append(call)
    return [
        BattleRow(
            battle,
            texts.get((battle.release_item_id, battle.first.run_id or 0), ""),
            texts.get((battle.release_item_id, battle.second.run_id or 0), ""),
            calls[battle.pk],
        )
        for battle in battles
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
