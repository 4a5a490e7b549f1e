"""Finds known questions in a text, and the orders in which their options stand there.

A question is found wherever it stands; the options follow it before the next known question, or,
if not all do, stand between it and the question before. Where several places have all options, the
shortest counts, so that an answer beside them does not. White space, the composition of characters
and quotation marks doubled by CSV make no difference, and neither do the escapes of JSON.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from languages.letters import LETTERS

Key = TypeVar("Key")

HEAD = 6
"""Questions are looked up by so many characters; shorter ones are not looked for."""
REACH = 4000
"""The options end so many characters after a question, or begin so many before it, at most."""
UNESCAPED = 2
"""A log may hold JSON as a string within JSON."""
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r'|u([0-9a-fA-F]{4})|(["\\/bfnrt]))'
)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SPACE = re.compile(r"\s{2,}|[^\S ]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its options in the released order, or with none."""

    text: str
    options: Sequence[str]


def orders_in(text: str, questions: Mapping[Key, Question]) -> dict[Key, set[str]]:
    """Return the orders in which a text has the options of each question that it has.

    At place A of an order such as "CADB" stands what the release calls C. Questions that the text
    does not have, or whose options are not all there or not all different, are left out.
    """
    keys, known = defaultdict[str, list[Key]](list), {}
    for key, each in questions.items():
        known[key] = tuple(_plain(option).strip() for option in each.options)
        keys[_plain(each.text).strip()].append(key)
    index, found = _Index(keys), defaultdict[Key, set[str]](set)
    for reading in _readings(text):
        for question, after, before in index.places(reading):
            for key in keys[question]:
                order = _order_in(after, known[key]) or _order_in(before, known[key])
                if order:
                    found[key].add(order)
    return dict(found)


def _readings(text: str) -> Iterator[str]:
    """Yield the text as it is, and without the escapes of JSON if it has any."""
    yield _plain(text)
    for _time in range(UNESCAPED):
        before, text = text, _ESCAPE.sub(_character, text)
        if text == before:
            return
        yield _plain(text)


def _character(escape: re.Match[str]) -> str:
    high, low, code, sign = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    return chr(int(code, 16)) if code else _ESCAPED.get(sign, sign)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).replace('""', '"')


class _Index:
    """Questions, to be found in one pass over a text."""

    def __init__(self, questions: Mapping[str, object]) -> None:
        self._sorted = sorted(each for each in questions if len(each) >= HEAD)
        self._heads = {question[:HEAD] for question in self._sorted}
        self._longest = max(map(len, self._sorted), default=0)
        self._within = self._shorter()

    def _shorter(self) -> dict[str, str]:
        """Return the longest other question with which each question begins, "" for none."""
        found, open_ones = {}, [""]
        for question in self._sorted:
            while not question.startswith(open_ones[-1]):
                open_ones.pop()
            found[question] = open_ones[-1]
            open_ones.append(question)
        return found

    def places(self, text: str) -> Iterator[tuple[str, str, str]]:
        """Yield each question that stands in a text, with what follows and what precedes it."""
        places = [*self._places(text)]
        begins = [*(begin for begin, _end, _question in places), len(text)]
        last = 0
        for (begin, end, question), after in zip(places, begins[1:], strict=True):
            yield (
                question,
                text[end : min(after, end + REACH)],
                text[max(last, begin - REACH) : begin],
            )
            last = end

    def _places(self, text: str) -> Iterator[tuple[int, int, str]]:
        heads, end = self._heads, 0
        likely = (at for at in range(len(text) - HEAD + 1) if text[at : at + HEAD] in heads)
        for at in likely:
            if at >= end and (question := self._at(text, at)):
                end = at + len(question)
                yield at, end, question

    def _at(self, text: str, at: int) -> str:
        """Return the longest question that stands at a place.

        It is the last one that sorts before the text there, or one with which that one begins.
        """
        place = bisect_right(self._sorted, text[at : at + self._longest])
        question = self._sorted[place - 1] if place else ""
        while question and not text.startswith(question, at):
            question = self._within[question]
        return question


def _order_in(text: str, options: Sequence[str]) -> str:
    """Return the order of the options in the shortest piece of a text that has all, "" if none has.

    Where one option is a part of another, the longer one counts. Options that are empty or not all
    different have no order.
    """
    if not all(options) or len(set(options)) < len(options):
        return ""
    best, latest = "", dict[int, int]()
    shortest = len(text) + 1
    for begin, end, option in _hits(text, options):
        latest.pop(option, None)  # so that the options come in the order of their last places
        latest[option] = begin
        if len(latest) == len(options):
            length = end - next(iter(latest.values()))
            if length < shortest:
                shortest, best = length, "".join(LETTERS[each] for each in latest)
    return best


def _hits(text: str, options: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where options stand, each place once: (begin, end, number of the option)."""
    found = []
    for number, option in enumerate(options):
        at = text.find(option)
        if at < 0:
            return
        while at >= 0:
            end = at + len(option)
            if not (_goes_on(text, at) or _goes_on(text, end)):
                found.append((at, -end, number))
            at = text.find(option, at + 1)
    last = 0
    for begin, end, number in sorted(found):
        if begin >= last:
            last = -end
            yield begin, last, number


def _goes_on(text: str, at: int) -> bool:
    """Return whether a number or a Latin word goes on at a place, so that an option is a part of it."""
    pair = text[at - 1 : at + 1] if at else ""
    return len(pair) == 2 and pair.isascii() and pair.isalnum()
