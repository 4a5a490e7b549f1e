"""Faults to plant into good texts: one function a kind, each a pure function of text and chance.

A degraded control item carries exactly one of them. Every function returns None where the text
offers no place for its fault.
"""

import random
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from languages.base import Language
from languages.letters import letter_of
from languages.units import units_of

SHORTEST_CUT = 8
"""A text is cut where it has at least so many units."""
KEPT_OF_CUT = 0.7
WHOLE = ("question", "answer", "explanation")
LEAST_TERM = 2
"""A replaced word has at least so many characters."""


@dataclass(frozen=True, slots=True)
class Text:
    """A question with its options; `key` is the place of the right one, None where there is none.

    `answer` and `explanation` are empty where the item has none.
    """

    question: str
    options: tuple[str, ...]
    key: int | None
    language: Language
    answer: str = ""
    explanation: str = ""

    def fields(self) -> list[tuple[str, str]]:
        """(field, text) of each part that has any text."""
        named = [("question", self.question)]
        named += [(f"options.{place}", text) for place, text in enumerate(self.options)]
        named += [("answer", self.answer), ("explanation", self.explanation)]
        return [(field, text) for field, text in named if text.strip()]

    def with_field(self, field: str, text: str) -> "Text":
        if field in WHOLE:
            changed: Any = {field: text}
            return replace(self, **changed)
        place = int(field.partition(".")[2])
        options = (*self.options[:place], text, *self.options[place + 1 :])
        return replace(self, options=options)


@dataclass(frozen=True, slots=True)
class Degraded:
    """A text with one fault of the named kind in `field`."""

    kind: str
    field: str
    text: Text


def degrade(text: Text, seed: str) -> Degraded | None:
    """Plant one fault, of a kind that the seed chooses among those that fit; None if none fits."""
    chance = random.Random(seed)
    kinds = list(FAULTS)
    chance.shuffle(kinds)
    for kind in kinds:
        found = plant(kind, text, chance)
        if found is not None:
            return found
    return None


def plant(kind: str, text: Text, chance: random.Random) -> Degraded | None:
    """Plant a fault of this kind; None where the text offers no place, or would stay as it is."""
    found = FAULTS[kind](text, chance)
    if found is None:
        return None
    field, changed = found
    return None if changed == text else Degraded(kind, field, changed)


Planted = tuple[str, Text] | None


def _number_changed(text: Text, chance: random.Random) -> Planted:
    """One digit becomes another one of the same script."""
    places = [
        (field, place)
        for field, words in text.fields()
        for place, sign in enumerate(words)
        if sign.isdecimal()
    ]
    if not places:
        return None
    field, place = chance.choice(places)
    words = dict(text.fields())[field]
    digit = unicodedata.decimal(words[place])
    other = chr(ord(words[place]) - digit + (digit + chance.randint(1, 8)) % 10)
    return field, text.with_field(field, words[:place] + other + words[place + 1 :])


def _negation_dropped(text: Text, chance: random.Random) -> Planted:
    """One negation of the language is taken out."""
    places = [
        (field, *span)
        for field, words in text.fields()
        for span in _negations_in(words, text.language)
    ]
    if not places:
        return None
    field, start, end = chance.choice(places)
    words = dict(text.fields())[field]
    left = re.sub(r"  +", " ", words[:start] + words[end:]).strip()
    return (field, text.with_field(field, left)) if left else None


def _options_swapped(text: Text, chance: random.Random) -> Planted:
    """The right option and a wrong one change places, so that the key names the wrong one."""
    key, others = text.key, _wrong_places(text)
    if key is None or not others:
        return None
    other = chance.choice(others)
    options = list(text.options)
    options[key], options[other] = options[other], options[key]
    return f"options.{key}", replace(text, options=tuple(options))


def _label_spliced(text: Text, chance: random.Random) -> Planted:
    """An option's letter stands in the middle of a text, as where a table was read badly."""
    long = [(field, units) for field, units in _units(text) if len(units) > 1]
    if not long:
        return None
    field, units = chance.choice(long)
    place = chance.randrange(1, len(units))
    letter = letter_of(chance.randrange(max(2, len(text.options))))
    words = dict(text.fields())[field]
    start = _start_of(words, units, place)
    return field, text.with_field(field, f"{words[:start]}{letter}. {words[start:]}")


def _option_repeated(text: Text, chance: random.Random) -> Planted:
    """A wrong option says what the right one says."""
    key, others = text.key, _wrong_places(text)
    if key is None or not others:
        return None
    field = f"options.{chance.choice(others)}"
    return field, text.with_field(field, text.options[key])


def _term_replaced(text: Text, chance: random.Random) -> Planted:
    """A word of one part stands in place of a word of another part."""
    parts = [(field, {unit for unit in units if _is_term(unit)}) for field, units in _units(text)]
    chance.shuffle(parts)
    for (field, mine), (_other, theirs) in permutations(parts, 2):
        if mine - theirs and theirs - mine:
            old, new = _longest(mine - theirs), _longest(theirs - mine)
            words = dict(text.fields())[field]
            return field, text.with_field(field, words.replace(old, new, 1))
    return None


def _text_cut(text: Text, chance: random.Random) -> Planted:
    """The end of the question, the answer or the explanation is missing."""
    long = [(f, units) for f, units in _units(text) if f in WHOLE and len(units) >= SHORTEST_CUT]
    if not long:
        return None
    field, units = chance.choice(long)
    words = dict(text.fields())[field]
    kept = _start_of(words, units, int(len(units) * KEPT_OF_CUT))
    return field, text.with_field(field, words[:kept].rstrip())


FAULTS: Mapping[str, Callable[[Text, random.Random], Planted]] = {
    "number_changed": _number_changed,
    "negation_dropped": _negation_dropped,
    "options_swapped": _options_swapped,
    "label_spliced": _label_spliced,
    "option_repeated": _option_repeated,
    "term_replaced": _term_replaced,
    "text_cut": _text_cut,
}


# A negation is a word of its own; in Tibetan it begins a syllable.
_EDGES: Mapping[str, tuple[str, str]] = {
    "space": (r"\b", r"\b"),
    "tsheg": (r"(?<![\u0f40-\u0fbc])", ""),
}


def _wrong_places(text: Text) -> list[int]:
    """The places of options that differ from the right one."""
    if text.key is None or text.key >= len(text.options):
        return []
    right = text.options[text.key]
    return [place for place, words in enumerate(text.options) if words != right]


def _negations_in(words: str, language: Language) -> list[tuple[int, int]]:
    """Where the language denies something, by its own words; longer ones and exceptions first."""
    if not language.negations:
        return []
    known = sorted((*language.negation_exceptions, *language.negations), key=len, reverse=True)
    before, after = _EDGES.get(language.segmentation, ("", ""))
    words_of = "|".join(map(re.escape, known))
    pattern = re.compile(f"{before}(?:{words_of}){after}", re.IGNORECASE)
    exceptions = {each.casefold() for each in language.negation_exceptions}
    return [
        match.span()
        for match in pattern.finditer(words)
        if match.group().casefold() not in exceptions
    ]


def _longest(units: AbstractSet[str]) -> str:
    return min(units, key=lambda unit: (-len(unit), unit))


def _is_term(unit: str) -> bool:
    return len(unit) >= LEAST_TERM and not any(sign.isdecimal() for sign in unit)


def _units(text: Text) -> list[tuple[str, Sequence[str]]]:
    return [(field, units_of(words, text.language)) for field, words in text.fields()]


def _start_of(words: str, units: Sequence[str], place: int) -> int:
    """Where the unit at `place` begins in the text that the units are from."""
    start = 0
    for unit in units[:place]:
        start = words.index(unit, start) + len(unit)
    return words.index(units[place], start)
