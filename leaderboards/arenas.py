"""What a leaderboard shows of the arenas of its release: ranks, and how far their judges can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.models import Arena
from releases.models import Release


@dataclass(frozen=True, slots=True)
class Contender:
    """A contestant with its rate of wins, from 0 to 1, and the ranks that the noise allows."""

    model: str
    is_baseline: bool
    best_rank: int
    worst_rank: int
    share: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Trust:
    """A judge and how often it agrees with people, of `pairs` that they decided; None if there are none.

    One that is not used agrees less often than the bound of its arena, and counts for no rank.
    """

    judge: str
    is_used: bool
    pairs: int
    agreement: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class ArenaStanding:
    """An arena as it was counted last. `people_kappa` is Cohen's κ among people.

    `pairs` is how many pairs of answers people judged; programs gave `simulated_verdicts` of those
    verdicts in their place.
    """

    pk: int
    name: str
    bound: float
    contenders: tuple[Contender, ...]
    judges: tuple[Trust, ...]
    pairs: int
    people_kappa: float | None
    simulated_verdicts: int

    @property
    def left_out(self) -> list[Trust]:
        return [judge for judge in self.judges if not judge.is_used]


def arenas_of(release: Release) -> tuple[ArenaStanding, ...]:
    """Return the arenas of a release that were counted, the oldest first."""
    rows = Arena.objects.filter(release=release).order_by("pk")
    found = rows.values_list("pk", "name", "bound", "figures")
    return tuple(_standing(*row) for row in found if row[-1])


def _standing(pk: int, name: str, bound: float, figures: Mapping[str, Any]) -> ArenaStanding:
    people = figures["people"]
    return ArenaStanding(
        pk=pk,
        name=name,
        bound=figures.get("bound", bound),
        contenders=tuple(_contender(each) for each in figures["contestants"]),
        judges=tuple(_trust(each) for each in figures["judges"]),
        pairs=people["battles"],
        people_kappa=people["kappa"],
        simulated_verdicts=people.get("simulated_verdicts", 0),
    )


def _contender(figures: Mapping[str, Any]) -> Contender:
    rate = figures["rate"]
    share, low, high = (round(rate[name] / 100, 4) for name in ("share", "low", "high"))
    return Contender(
        figures["name"], figures["is_baseline"], figures["best_rank"], figures["worst_rank"],
        share, low, high, rate["questions"],
    )  # fmt: skip


def _trust(figures: Mapping[str, Any]) -> Trust:
    people = figures["people"]
    return Trust(
        figures["name"], figures["is_used"], people["battles"], people["share"], people["kappa"]
    )
