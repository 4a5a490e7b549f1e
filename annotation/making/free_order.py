"""Knows some reorderings of a sentence that are as right as the sentence: rules of free word order.

The rules are short lists that a language's readers can correct. They find only what they list; whether
an option is right after all, reviewers say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class FreeOrder:
    """What may move in a language.

    `movable` words, such as “today”, may stand elsewhere before the last word. The words on both
    sides of one of `joiners`, such as “and”, may change places.
    """

    movable: frozenset[str] = frozenset()
    joiners: frozenset[str] = frozenset()


FREE_ORDERS: Final[Mapping[str, FreeOrder]] = MappingProxyType(
    {
        "bo": FreeOrder(frozenset({"དེ་རིང", "ཁ་ས", "ཁ་སང", "སང་ཉིན", "ད་ལྟ"}), frozenset({"དང"})),
        "en": FreeOrder(
            frozenset({"today", "yesterday", "tomorrow", "now"}), frozenset({"and", "or"})
        ),
        "mn": FreeOrder(
            frozenset({"өнөөдөр", "өчигдөр", "маргааш", "одоо"}), frozenset({"ба", "болон", "буюу"})
        ),
        "zh": FreeOrder(frozenset({"今天", "昨天", "明天", "现在"}), frozenset({"和", "或"})),
    }
)


def free_order_of(code: str) -> FreeOrder:
    """Return the rules of a language, none if it has no list."""
    return FREE_ORDERS.get(code.split("-", maxsplit=1)[0], FreeOrder())


def is_legal_reordering(words: Sequence[str], other: Sequence[str], rules: FreeOrder) -> bool:
    """Return whether the rules make `other` a right sentence if `words` is one; both are bare words."""
    if tuple(words) == tuple(other):
        return True
    if sorted(words) != sorted(other) or (other[-1] in rules.movable and other[-1] != words[-1]):
        return False
    fixed, others = ([w for w in each if w not in rules.movable] for each in (words, other))
    return _is_swapped(others, fixed, rules)


def _is_swapped(words: Sequence[str], other: Sequence[str], rules: FreeOrder) -> bool:
    """Return whether `words` become `other` when some joined neighbours change places, from left to right.

    A word left of a joiner is settled with it, so only the two words before the next place are open;
    `other` fixes all before them, which leaves two pairs at most.
    """
    pairs = {tuple(words[:2])}
    for place in range(1, len(words) - 1):
        after = words[place + 1]
        found: set[tuple[str, ...]] = set()
        for before, here in pairs:
            if before == other[place - 1]:
                found.add((here, after))
            if words[place] in rules.joiners and after == other[place - 1]:
                found.add((here, before))
        pairs = found
    return tuple(other[-2:]) in pairs
