"""Which contestants meet on which question."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

ORDERS: Final = 8
Pair = tuple[int, int]
Battle = tuple[int, int, int]
"""A question and two contestants. The order of the two says nothing: each judge sees both orders."""


def against_baseline(answered: Mapping[int, Sequence[int]], baseline: int) -> Iterator[Battle]:
    """Yield each contestant against `baseline` on every question that both have answered.

    `answered` maps a question to the contestants that have an answer to it.
    """
    for question, contestants in answered.items():
        if baseline in contestants:
            for each in contestants:
                if each != baseline:
                    yield question, each, baseline


def balanced(answered: Mapping[int, Sequence[int]], *, each: int, seed: int) -> Iterator[Battle]:
    """Yield battles in which every contestant meets `each` others on a question it answered.

    Not all pairs: on each question the contestants stand in a circle in a drawn order, and each
    meets its nearest neighbours on both sides (an odd `each` adds those opposite; of an odd number
    of contestants one is then left out). Of a few drawn orders the one is taken whose pairs have
    met least often. The same seed gives the same battles.
    """
    rng, met = random.Random(seed), Counter[Pair]()
    for question, contestants in answered.items():
        circles = [rng.sample(sorted(contestants), len(contestants)) for _ in range(ORDERS)]
        pairs = min(
            (_neighbours(circle, each) for circle in circles),
            key=lambda drawn: sum(2 * met[pair] + 1 for pair in drawn),
        )
        met.update(pairs)
        for first, second in pairs:
            yield question, first, second


def _neighbours(circle: Sequence[int], each: int) -> list[Pair]:
    """Return the pairs of a circle, each once and in the order of its numbers."""
    count = len(circle)
    if each >= count - 1:
        return list(itertools.combinations(sorted(circle), 2))
    pairs = [
        (place, (place + step) % count)
        for step in range(1, each // 2 + 1)
        for place in range(count)
    ]
    if each % 2:
        pairs += [(place, place + count // 2) for place in range(count // 2)]
    return [(min(a, b), max(a, b)) for a, b in ((circle[i], circle[j]) for i, j in pairs)]
