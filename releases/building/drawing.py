"""Draw the order of the options of each item, with balanced keys."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from languages.letters import letters_of
from releases.option_orders import released_key


@dataclass(frozen=True, slots=True)
class OrderedItem:
    """An item whose options get an order; keys are balanced within its `group`.

    `earlier` is the order that a published version gave it, "" for none, and `is_fixed` says that
    its texts speak of letters or places, so that its options stay as they are.
    """

    uid: str
    group: tuple[str, str]
    key: str
    option_count: int
    earlier: str = ""
    is_fixed: bool = False


def draw_orders(items: Iterable[OrderedItem], *, secret: str, seed: int) -> dict[str, str]:
    """Return the order of the options of each item, by uid.

    Items that a published version ordered keep their order, those that speak of letters their own.
    The others, those with the fewest options first, put their key where the fewest keys of their
    group are so far.
    """
    orders: dict[str, str] = {}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    waiting = []
    for item in items:
        if order := _standing(item):
            orders[item.uid] = order
            counts[item.group][released_key(item.key, order)] += 1
        else:
            waiting.append(item)
    draw = _Draw(secret, seed)
    for item in sorted(waiting, key=lambda item: (item.option_count, draw.rank(item.uid, ""))):
        order = _balanced(item, counts[item.group], draw)
        orders[item.uid] = order
        counts[item.group][released_key(item.key, order)] += 1
    return orders


class _Draw:
    def __init__(self, secret: str, seed: int) -> None:
        self._key = hashlib.sha256(f"order\n{secret}\n{seed}".encode()).digest()

    def rank(self, uid: str, letter: str) -> bytes:
        return hashlib.blake2b(f"{uid}\n{letter}".encode(), key=self._key, digest_size=16).digest()


def _standing(item: OrderedItem) -> str:
    own = letters_of(item.option_count)
    if item.is_fixed:
        return own
    return item.earlier if sorted(item.earlier) == list(own) else ""


def _balanced(item: OrderedItem, counts: Mapping[str, int], draw: _Draw) -> str:
    own = letters_of(item.option_count)
    fewest = min(counts.get(letter, 0) for letter in own)
    places = [letter for letter in own if counts.get(letter, 0) == fewest]
    if len(places) > 1:
        places.sort(key=lambda letter: draw.rank(item.uid, f"={letter}"))
    others = sorted(
        (letter for letter in own if letter != item.key),
        key=lambda letter: draw.rank(item.uid, letter),
    )
    others.insert(own.index(places[0]), item.key)
    return "".join(others)
