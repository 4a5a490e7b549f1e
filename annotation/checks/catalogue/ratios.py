"""Numbers that differ in form and not in value: 1/2, 0.5 and 50%."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from annotation.checks.catalogue.quantities import whole, with_dollars_marked
from languages.base import Language
from languages.fractions import with_fractions_in_digits

_FRACTION: Final = re.compile(r"(?<![\d./])(\d{1,9})\s?/\s?(\d{1,9})(?![\d./])")
_PER: Final = re.compile(r"(?<![\d.,])(\d{1,9}(?:\.\d{1,9})?)\s?([%‰])")
_DECIMAL: Final = re.compile(r"(?<![\d.,])(\d{1,9})[.,](\d{1,9})(?![\d.,]|\s?[%‰])")
_SIGN: Final = re.compile(r"[/%‰.,]")
_OF: Final = {"%": 100, "‰": 1000}


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A value, the way in which it is written, and the numbers with which it is."""

    value: Fraction
    form: str
    numbers: frozenset[str]


def same_values(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[set[str], set[str]]:
    """Return the numbers of each side that only write a value of the other in another form.

    A fraction with other numbers, as 2/4 for 1/2, is the same form and not among them.
    """
    own, other = _ratios(source, source_language), _ratios(target, target_language)
    return _found_in(own, other), _found_in(other, own)


def _found_in(own: list[_Ratio], others: list[_Ratio]) -> set[str]:
    forms: dict[Fraction, set[str]] = {}
    for each in others:
        forms.setdefault(each.value, set()).add(each.form)
    return {n for each in own if forms.get(each.value, set()) - {each.form} for n in each.numbers}


def _ratios(text: str, language: Language) -> list[_Ratio]:
    plain = with_fractions_in_digits(with_dollars_marked(text), language)
    plain = whole(plain)
    return list(_read(plain)) if _SIGN.search(plain) else []


def _read(text: str) -> Iterator[_Ratio]:
    for above, below in _FRACTION.findall(text):
        if int(below):
            numbers = frozenset({*map(_bare, (above, below)), f"{_bare(above)}/{_bare(below)}"})
            yield _Ratio(Fraction(int(above), int(below)), "/", numbers)
    for number, sign in _PER.findall(text):
        yield _Ratio(Fraction(number) / _OF[sign], sign, frozenset({_bare(number)}))
    for first, last in _DECIMAL.findall(text):
        decimal = f"{first}.{last}"
        yield _Ratio(Fraction(decimal), ".", frozenset({_bare(decimal)}))


def _bare(number: str) -> str:
    """Return a number without idle zeros, as findings show it."""
    first, _point, last = number.partition(".")
    last = last.rstrip("0")
    first = first.lstrip("0") or "0"
    return f"{first}.{last}" if last else first
