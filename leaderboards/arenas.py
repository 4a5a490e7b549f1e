"""What a leaderboard tells of the arenas of its release: ranks, and how far their judges can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.models import Arena
from releases.models import Release


@dataclass(frozen=True, slots=True)
class ArenaStanding:
    """An arena and its figures as they were counted last, see `arena.counting`."""

    pk: int
    name: str
    figures: Mapping[str, Any]

    def has(self, model: str) -> bool:
        """Whether a model fought in it, also if no verdict on it counts."""
        ranked = (each["name"] for each in self.figures["contestants"])
        return model in ranked or model in self.figures["without_verdicts"]


def arenas_of(release: Release) -> tuple[ArenaStanding, ...]:
    """Return the arenas of a release that were counted and are not hidden, the oldest first."""
    rows = Arena.objects.filter(release=release, hidden_reason="").order_by("pk")
    found = rows.values_list("pk", "name", "bound", "figures")
    return tuple(
        ArenaStanding(pk, name, {"bound": bound, "without_verdicts": []} | figures)
        for pk, name, bound, figures in found
        if figures
    )


def arena_json(arena: ArenaStanding) -> dict[str, Any]:
    """Return what the API tells of an arena; shares are from 0 to 1.

    `people_kappa` is Cohen's κ among people, and `pairs` how many pairs of answers they judged;
    programs gave `simulated_verdicts` of those verdicts in their place.
    """
    figures, people = arena.figures, arena.figures["people"]
    return {
        "id": arena.pk,
        "name": arena.name,
        "bound": figures["bound"],
        "contenders": [_contender(each) for each in figures["contestants"]],
        "without_verdicts": figures["without_verdicts"],
        "judges": [_judge(each) for each in figures["judges"]],
        "pairs": people["battles"],
        "people_kappa": people["kappa"],
        "simulated_verdicts": people.get("simulated_verdicts", 0),
    }


def _contender(figures: Mapping[str, Any]) -> dict[str, Any]:
    rate = figures["rate"]
    return {
        "model": figures["name"],
        **{name: figures[name] for name in ("is_baseline", "best_rank", "worst_rank")},
        **{name: round(rate[name] / 100, 4) for name in ("share", "low", "high")},
        "questions": rate["questions"],
    }


def _judge(figures: Mapping[str, Any]) -> dict[str, Any]:
    people = figures["people"]
    return {
        "judge": figures["name"],
        "is_used": figures["is_used"],
        "verdicts": figures["verdicts"],
        "pairs": people["battles"],
        "agreement": people["share"],
        "kappa": people["kappa"],
    }
