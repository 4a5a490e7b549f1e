"""The order in which a release gives the options of each item.

An order is a text such as "CADB": at place A stands what the item itself calls C. Orders are drawn
with a secret, because items whose source is public could be told apart by an order that anybody can
compute. Keys are balanced among the open items of a subject and among its hidden ones, each for
itself: over both together the last hidden key could be counted out from the open ones.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import regex

from languages.letters import COMMON_LETTERS, FULL_WIDTH, LETTERS, letters_of

KEPT, SHUFFLED = "kept", "shuffled"
_LINKS = r"(?:,|、|，|/|&|\+|;|；|·|་|།|\s|and|or|und|et|和|与|與|及|或|དང|དང་|ཡང་ན)+"
# A vowel sign makes a letter a part of a word, as in གི.
_IN_WORD = r"[\w\p{M}]"
_ABOVE = re.compile(
    r"\b(?:above|aforementioned|foregoing|preceding options?|following options?)\b"
    r"|\b(?:all|none|any|both|neither|either|some|two|three) of (?:the |these |those |them\b)"
    r"|\b(?:first|second|third|last|previous|other) (?:option|answer|choice|one)s?\b"
    r"|以上|上述|上列|上面|前述|前面(?:的|都)|以下(?:都|均|皆)|其他选项|其它选项"
    r"|(?:都|均|皆|全)(?:是|对|對|不是|不对|不對|正确|正確|错|錯|非)|第[一二三四五六1-6][项項个個]"
    r"|གོང་(?:གསལ|འཁོད|གི|སྨོས|བཤད|དུ|ལྟར)|གོང་གི|ཡར་བཤད",
    re.IGNORECASE,
)
_FURTHER = re.compile(rf"{_ABOVE.pattern}|第(?:[七八九十789]|10)[项項个個]", re.IGNORECASE)
"""Where an item has more than six options."""
_SIGNS_OF_ABOVE = (
    *("above", "aforement", "forego", "opt", "of th", " one", "wer", "cho"),
    *("以上", "上述", "上列", "上面", "前述", "前面", "以下", "选项", "都", "均", "皆", "全", "第"),
    *("གོང་", "ཡར་བཤད"),
)
"""In small letters: one of them is in every text that _ABOVE or _FURTHER finds.

None has an i, k or s, which other signs of Unicode stand for too where case is ignored.
"""
_SIGNS_OF_NAMED = ("opt", "wer", "cho", "项", "項")
"""The same for what _named finds."""
_BETWEEN = "\0"
"""Parts texts that are searched together: it is no letter, no blank and links nothing."""


@dataclass(frozen=True, slots=True)
class OrderedItem:
    """An item whose options get an order; `key` is its own letter, `group` is balanced for itself.

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
    """The order of each item by uid.

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


def released_key(key: str, order: str) -> str:
    """The letter under which a release gives what the item calls `key`."""
    return LETTERS[order.index(key)] if order else key


@cache
def own_places(order: str) -> tuple[int, ...]:
    """For each released option its place among the item's own, counted from 0."""
    return tuple(LETTERS.index(letter) for letter in order)


def in_order(options: Sequence[str], order: str) -> Sequence[str]:
    """The options as released; as they are where there are others than `order` speaks of."""
    if len(order) != len(options):
        return options
    return [options[place] for place in own_places(order)]


def as_before(options: Sequence[str], order: str) -> Sequence[str]:
    """The released options in the item's own order again."""
    if len(order) != len(options):
        return options
    by_letter = dict(zip(order, options, strict=True))
    return [by_letter[letter] for letter in letters_of(len(order))]


def speaks_of_places(question: str, options: Iterable[str], script: str = "") -> bool:
    """Whether a text names options by letter or place, as in “A and B” or “all of the above”.

    `script` are the option letters of the text's language besides A to J. When in doubt, yes: such
    an item keeps its order, which harms nothing.
    """
    options = list(options)
    given, letters = _BETWEEN.join(options), _letters(len(options), script)
    above = _FURTHER if len(options) > COMMON_LETTERS else _ABOVE
    return (
        _finds(above, _SIGNS_OF_ABOVE, given)
        or _finds(_named(_latin(len(options))), _SIGNS_OF_NAMED, f"{question}{_BETWEEN}{given}")
        or _list_of_letters(letters).search(given) is not None
        or any(map(_only_letters(letters).search, options))
    )


def _finds(pattern: re.Pattern[str], signs: Iterable[str], text: str) -> bool:
    """Whether `pattern` is in `text`; most texts have none of its signs, which is seen sooner."""
    lowered = text.lower()
    return any(sign in lowered for sign in signs) and pattern.search(text) is not None


def _latin(option_count: int) -> str:
    """A to F, and further only where an item has more options: I is a word."""
    count = max(option_count, COMMON_LETTERS)
    return LETTERS[:count] + FULL_WIDTH[:count]


def _letters(option_count: int, script: str) -> str:
    return _latin(option_count) + script[: max(option_count, COMMON_LETTERS)]


@cache
def _named(latin: str) -> re.Pattern[str]:
    """A letter with a word that says that it is an option's."""
    return re.compile(
        rf"\b(?:options?|answers?|choices?)\s*\(?[{latin}]\b|选项\s*[{latin}]|[{latin}]\s*[项項]",
        re.IGNORECASE,
    )


@cache
def _list_of_letters(letters: str) -> regex.Pattern[str]:
    """Two letters beside each other."""
    letter = f"[{re.escape(letters)}]"
    return regex.compile(rf"(?<!{_IN_WORD}){letter}{_LINKS}{letter}(?!{_IN_WORD})")


@cache
def _only_letters(letters: str) -> regex.Pattern[str]:
    """An option that is nothing but letters, two or more; two patterns are quicker than one."""
    letter = f"[{re.escape(letters)}]"
    return regex.compile(rf"^\W*{letter}{{2,10}}(?!{_IN_WORD})\W*$")


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
