"""First contact: the few closed questions that a stranger's endpoint must answer before the others.

A server that only collects questions sees no more than these, however often its team sends it. An
item has a place of its own in each team's order, in every release, so a new version shows nothing
more of the items that it shares with earlier ones.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence

QUANTILE = 1.645
"""One endpoint in twenty that guesses is let through."""
NUMBER_CHANCE = 0.1
"""How often a guessed number is taken to be right."""


def drawn(items: Iterable[tuple[int, int]], count: int, *, team: int) -> set[int]:
    """Return which `count` of the (release item, item) pairs a team gets first, as release items."""
    placed = sorted(items, key=lambda pair: _place(pair[1], team))
    return {release_item for release_item, _item in placed[:count]}


def fewest_right(option_counts: Sequence[int]) -> int:
    """Return how many answers must be right: more than guessing gets, at the 5 % level.

    `option_counts` has the options of each question, 0 if a number is asked for.
    """
    chances = [1 / count if count else NUMBER_CHANCE for count in option_counts]
    spread = math.sqrt(math.fsum(chance * (1 - chance) for chance in chances))
    wanted = math.floor(math.fsum(chances) + QUANTILE * spread) + 1
    return min(wanted, len(chances))


def _place(item: int, team: int) -> bytes:
    return hashlib.sha256(f"first contact:{team}:{item}".encode()).digest()
