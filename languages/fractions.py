"""Writes the fractions that a text holds in words with digits: 三分之二, གསུམ་ཆ་གཉིས, ສອງສ່ວນສາມ."""

from itertools import pairwise

from languages.base import Language
from languages.spoken_numbers import number_at_end, number_at_start

_WINDOW = 24
_MOST = 50


def with_fractions_in_digits(text: str, language: Language) -> str:
    """Return a text with 2/3 for 三分之二 and 50% for 百分之五十, as the language says them."""
    for mark in language.fraction_marks:
        if mark in text:
            text = _replaced(text, mark, language)
    return text


def _replaced(text: str, mark: str, language: Language) -> str:
    """Put the fraction in digits in the place of each mark between two numbers."""
    pieces = text.split(mark, _MOST)
    written = [pieces[0]]
    for before, after in pairwise(pieces):
        first = number_at_end(before[-_WINDOW:], language)
        last = number_at_start(after[:_WINDOW], language)
        told = f" {_written(first, last, language)} " if first and last else mark
        written += [told, after]
    return "".join(written)


def _written(first: str, last: str, language: Language) -> str:
    above, below = (first, last) if language.is_numerator_first else (last, first)
    return f"{above}%" if below == "100" else f"{above}/{below}"
