"""A pair of items that are alike, and how the findings of several methods become one pair."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["exact", "near", "semantic"]
Side = Literal["source", "target"]

STRENGTH: dict[Kind, int] = {"semantic": 0, "near": 1, "exact": 2}


@dataclass(frozen=True, slots=True)
class Pair:
    """Items `a` < `b` (their ids), alike on one side; `similarity` is in 0..1."""

    a: int
    b: int
    kind: Kind
    similarity: float
    side: Side

    def __post_init__(self) -> None:
        if self.a >= self.b:
            raise ValueError(f"pair not ordered: {self.a}, {self.b}")
        if not 0 <= self.similarity <= 1:
            raise ValueError(f"similarity outside 0..1: {self.similarity}")


def make_pair(one: int, other: int, *, kind: Kind, similarity: float, side: Side) -> Pair:
    """Build the pair of two different ids given in any order."""
    return Pair(min(one, other), max(one, other), kind, similarity, side)


def merge_pairs(pairs: Iterable[Pair]) -> list[Pair]:
    """Keep one pair for each two items and side, sorted by these.

    The strongest kind wins (exact, near, semantic), then the greatest similarity.
    """
    best: dict[tuple[int, int, Side], Pair] = {}
    for pair in pairs:
        place = (pair.a, pair.b, pair.side)
        if place not in best or _rank(pair) > _rank(best[place]):
            best[place] = pair
    return [best[place] for place in sorted(best)]


def _rank(pair: Pair) -> tuple[int, float]:
    return STRENGTH[pair.kind], pair.similarity
