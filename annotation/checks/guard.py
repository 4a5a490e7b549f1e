"""Compares the numbers and formulas of a text that a person has just typed with its source.

A check compares leniently, because it reads thousands of texts that nobody watched. The guard
reads one text that a person has just typed, so it counts each number and each formula as often as
it stands there, and lets pass only what is written in another form: other digits, Roman numerals,
a number in words, a formula without LaTeX.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from annotation.checks.catalogue.numbers import APART, held_otherwise, numbers
from annotation.checks.catalogue.tokens import (
    canonical_formula,
    commands,
    formulas,
    in_plain_math,
    plain_math,
)
from annotation.text_fields import option_field
from languages import get_language

MOST_TOLD: Final = 40
Texts = Sequence[str]
"""The question and then each option."""


@dataclass(frozen=True, slots=True, order=True)
class NumberChange:
    """A number or formula of a field: `missing` from the source's, or else added to them."""

    field: str
    is_missing: bool
    value: str


def number_changes(
    source: Texts, before: Texts, after: Texts, source_language: str, target_language: str
) -> list[NumberChange]:
    """Return how `after` differs from `source` where `before` did not differ so already.

    What the earlier text has wrong is not asked of the person who corrects something else in it.
    Fields are compared one by one. Where the earlier options were never told apart, `before` is
    compared as one text, so that dividing it changes no number.
    """
    languages = (source_language, target_language)
    changes: Counter[NumberChange] = Counter()
    for place, (theirs, new) in enumerate(zip(source, after, strict=False)):
        changes += _differences(place, theirs, new, languages)
    if len(before) == len(after):
        for place, (theirs, old) in enumerate(zip(source, before, strict=False)):
            changes -= _differences(place, theirs, old, languages)
    else:
        changes = _beyond_whole(changes, before, source, languages)
    return sorted(changes)[:MOST_TOLD]


def _beyond_whole(
    changes: Counter[NumberChange], before: Texts, source: Texts, languages: tuple[str, str]
) -> Counter[NumberChange]:
    """Leave out what differs in the earlier text as well, wherever in it that stood."""
    whole = _differences(0, APART.join(source), APART.join(before), languages)
    known = {(each.is_missing, each.value) for each in whole}
    return Counter({c: n for c, n in changes.items() if (c.is_missing, c.value) not in known})


def _differences(
    place: int, source: str, target: str, languages: tuple[str, str]
) -> Counter[NumberChange]:
    field = option_field(place - 1) if place else "question"
    found: Counter[NumberChange] = Counter()
    for is_missing, text, other, tongues in (
        (True, source, target, languages),
        (False, target, source, languages[::-1]),
    ):
        for value, count in _beyond(text, other, tongues).items():
            found[NumberChange(field, is_missing, value)] += count
    return found


def _beyond(text: str, other: str, languages: tuple[str, str]) -> Counter[str]:
    """Return the numbers and formulas that one text has more often than the other.

    What the other has in another form only, is there however often it stands in either.
    """
    found = Counter(numbers(text)) - Counter(numbers(other))
    absent = set(found).difference(numbers(other))
    if absent:
        absent &= held_otherwise(text, other, *map(get_language, languages))
    beyond = Counter({number: n for number, n in found.items() if number not in absent})
    return beyond + _formulas_beyond(text, other)


def _formulas_beyond(text: str, other: str) -> Counter[str]:
    if "$" not in text and "\\" not in text:
        return Counter()
    theirs = _formulas(other)
    plain = plain_math(in_plain_math(other))
    found = Counter(_formulas(text)) - Counter(theirs)
    return Counter({f: n for f, n in found.items() if f in theirs or plain_math(f) not in plain})


def _formulas(text: str) -> list[str]:
    return [*map(canonical_formula, formulas(text)), *commands(text)]
