"""Writes the fractions that a text holds in words with digits: 三分之二, གསུམ་ཆ་གཉིས, ສອງສ່ວນສາມ."""

from languages.base import Language
from languages.spoken_numbers import read_at_end, read_at_start

_WINDOW = 24
_MOST = 50
_SIGNS = {"100": "%", "1000": "‰"}


def with_fractions_in_digits(text: str, language: Language) -> str:
    """Return a text with 2/3 for 三分之二 and 50% for 百分之五十, as the language says them."""
    for mark in language.fraction_marks:
        if mark in text:
            text = _replaced(text, mark, language)
    return text


def _replaced(text: str, mark: str, language: Language) -> str:
    """Put the fraction in digits in the place of each mark between two numbers, and of these."""
    first, *pieces = text.split(mark, _MOST)
    written = [first]
    for piece in pieces:
        before = written[-1]
        start = max(0, len(before) - _WINDOW)
        above = read_at_start(piece[:_WINDOW], language)
        below = read_at_end(before[start:], language) if above else None
        if above and below:
            told = _written(below[0], above[0], language)
            written[-1:] = [before[: start + below[1]], f" {told} ", piece[above[1] :]]
        else:
            written += [mark, piece]
    return "".join(written)


def _written(first: str, last: str, language: Language) -> str:
    above, below = (first, last) if language.is_numerator_first else (last, first)
    return f"{above}{_SIGNS[below]}" if below in _SIGNS else f"{above}/{below}"
