"""The order in which a release gives the options of each item.

An order is a text such as "CADB": at place A stands what the item itself calls C. Orders are drawn
with a secret, because items whose source is public could be told apart by an order that anybody can
compute. Keys are balanced among the open items of a subject and among its hidden ones, each for
itself: over both together the last hidden key could be counted out from the open ones.
"""

from collections.abc import Sequence
from functools import cache

from languages.letters import LETTERS, letters_of

KEPT, SHUFFLED = "kept", "shuffled"


def released_key(key: str, order: str) -> str:
    """Return the letter under which a release gives what the item calls `key`."""
    return LETTERS[order.index(key)] if order else key


@cache
def own_places(order: str) -> tuple[int, ...]:
    """Return the place among the item's own options, from 0, of each released one."""
    return tuple(LETTERS.index(letter) for letter in order)


def in_order(options: Sequence[str], order: str) -> Sequence[str]:
    """Return the options as released; unchanged if `order` is not about as many."""
    if len(order) != len(options):
        return options
    return [options[place] for place in own_places(order)]


def as_before(options: Sequence[str], order: str) -> Sequence[str]:
    """Return the released options in the item's own order again."""
    if len(order) != len(options):
        return options
    by_letter = dict(zip(order, options, strict=True))
    return [by_letter[letter] for letter in letters_of(len(order))]
