"""Numbers that differ in form and not in value: 1/2, 0.5 and 50%."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Final

from annotation.checks.catalogue.quantities import whole
from languages.base import Language

_FRACTION: Final = re.compile(r"(?<![\d./])(\d{1,9})\s?/\s?(\d{1,9})(?![\d./])")
_PER: Final = re.compile(r"(?<![\d.,])(\d{1,9}(?:\.\d{1,9})?)\s?([%‰])")
_DECIMAL: Final = re.compile(r"(?<![\d.,])(\d{1,9})[.,](\d{1,9})(?![\d.,]|\s?[%‰])")
_SIGN: Final = re.compile(r"[/%‰.,]")
_OF: Final = {"%": 100, "‰": 1000}
_PLACES: Final = range(2, 7)


@dataclass(frozen=True, slots=True)
class _Ratio:
    """What it stands for, the way in which it is written, and the numbers with which it is."""

    values: frozenset[Fraction]
    form: str
    numbers: frozenset[str]


_HALF: Final = _Ratio(frozenset({Fraction(1, 2)}), "half", frozenset())


def same_values(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[set[str], set[str]]:
    """Return the numbers of each side that only write a value of the other in another form.

    A fraction with other numbers, as 2/4 for 1/2, is the same form and not among them. A decimal of
    two places or more may be rounded or cut off: 0.33 and 33.3 % are 1/3. The texts have their
    dollars marked and their amounts in digits.
    """
    own = _ratios(source, source_language)
    other = _ratios(target, target_language) if own else []
    return _found_in(own, other), _found_in(other, own)


def _found_in(own: list[_Ratio], others: list[_Ratio]) -> set[str]:
    forms: dict[Fraction, set[str]] = {}
    for each in others:
        for value in each.values:
            forms.setdefault(value, set()).add(each.form)
    return {
        number
        for each in own
        if any(forms.get(value, set()) - {each.form} for value in each.values)
        for number in each.numbers
    }


def _ratios(text: str, language: Language) -> list[_Ratio]:
    plain = whole(text)
    found = list(_read(plain)) if _SIGN.search(plain) else []
    if any(word in text for word in language.half_words):
        found.append(_HALF)
    return found


def _read(text: str) -> Iterator[_Ratio]:
    for above, below in _FRACTION.findall(text):
        if int(below):
            numbers = frozenset({*map(_bare, (above, below)), f"{_bare(above)}/{_bare(below)}"})
            yield _Ratio(_with_decimals(int(above), int(below)), "/", numbers)
    for number, sign in _PER.findall(text):
        value = Fraction(number) / _OF[sign]
        yield _Ratio(frozenset({value}), sign, frozenset({_bare(number)}))
    for first, last in _DECIMAL.findall(text):
        decimal = f"{first}.{last}"
        yield _Ratio(frozenset({Fraction(decimal)}), ".", frozenset({_bare(decimal)}))


@lru_cache(maxsize=256)
def _with_decimals(above: int, below: int) -> frozenset[Fraction]:
    """Return a fraction and the decimals that it is rounded or cut off to."""
    fraction = Fraction(above, below)
    tenths = (fraction * 10**places for places in _PLACES)
    cut = ((floor(each), round(each)) for each in tenths)
    decimals = (
        Fraction(n, 10**places) for places, pair in zip(_PLACES, cut, strict=True) for n in pair
    )
    return frozenset({fraction, *decimals})


def _bare(number: str) -> str:
    """Return a number without idle zeros, as findings show it."""
    first, _point, last = number.partition(".")
    last = last.rstrip("0")
    first = first.lstrip("0") or "0"
    return f"{first}.{last}" if last else first
