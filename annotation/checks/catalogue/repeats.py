"""Finds in a text what is there again and again: a short piece in a row, or all of the text."""

import re
from dataclasses import dataclass
from typing import Final

from languages.base import Language

_LETTER: Final = re.compile(r"[^\W\d_]")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_IDLE: Final = " .。?？:：།༎\n"
_LONGEST: Final = 48
_SAMPLE: Final = 5
_SHORTEST: Final = 6
_SHORTEST_OF_LETTERS: Final = 5
_SHORTEST_OF_HAN: Final = 2
_PARTS: Final = {"tsheg": "་", "space": " "}
_FEWEST_PARTS: Final = 2
_OFTEN: Final = 3
_ALWAYS_TOO_OFTEN: Final = 6
_TIMES: Final = tuple((times, between) for times in (2, 3, 4) for between in (0, 1, 2))
_PIECE: Final = 3
_SHORT_TEXT: Final = 8
_SHORTEST_LOOP: Final = 6
_FEWEST_SIGNS: Final = 2
_SENTENCE: Final = 6
_TWICE: Final = 2
_CLAUSE: Final = 16
"""A shorter piece may well stand there twice: Tibetan and Lao double words."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A piece of text, how often it is there, and from where to where."""

    piece: str
    count: int
    start: int
    end: int


def added_loop(
    source: str, text: str, source_language: Language, language: Language
) -> Repeat | None:
    """Return the loop of a text whose source has none."""
    found = find_loop(text, language)
    if found is None or find_loop(source, source_language):
        return None
    return found


def find_loop(text: str, language: Language) -> Repeat | None:
    """Return a piece of at most 48 characters that is there three times or more in a row.

    One syllable or word has to be there six times, since languages double and treble words. Every
    few characters a sample is looked for right behind itself, so the work grows with the text only.
    """
    shortest = _shortest(language)
    size = min(shortest, _SAMPLE)
    find = text.find
    for at in range(0, len(text) - size, shortest + 1):
        last = at + size + _LONGEST
        sample = text[at : at + size]
        again = find(sample, at + 1, last)
        while again >= 0:
            if text.startswith(text[again : 2 * again - at], at):
                found = _whole_loop(text, at, again - at, language)
                if found:
                    return found
            again = find(sample, again + 1, last)
    return None


def _whole_loop(text: str, at: int, length: int, language: Language) -> Repeat | None:
    """Return all repetitions around a place from which a piece is there twice, if they are enough.

    Rows of dots and digits are left at once, or each sample would go through the whole row.
    """
    if not _LETTER.search(text, at, at + length):
        return None
    start, end = at, at + 2 * length
    while start and text[start - 1] == text[start - 1 + length]:
        start -= 1
    while end < len(text) and text[end] == text[end - length]:
        end += 1
    piece = text[start : start + length]
    count = (end - start) // length
    part = _PARTS.get(language.segmentation)
    is_word = piece.count(part) < _FEWEST_PARTS if part else length < _shortest(language)
    least = _ALWAYS_TOO_OFTEN if is_word else _OFTEN
    if count < least or end - start < _SHORTEST_LOOP:
        return None
    return Repeat(piece.strip(), count, start, end)


def _shortest(language: Language) -> int:
    """Return how many characters the shortest piece has that is more than a syllable."""
    if language.segmentation != "character":
        return _SHORTEST
    return _SHORTEST_OF_HAN if language.script == "Han" else _SHORTEST_OF_LETTERS


def added_copy(source: str, text: str) -> Repeat | None:
    """Return the piece that is all of a text, two times or more, as it is not in the source."""
    times = _times_whole(text)
    if not times or _times_whole(source):
        return None
    length = len(text) // times
    return Repeat(text[:length].strip(), times, length, len(text))


def _times_whole(text: str) -> int:
    """Return how often a text is one piece again and again, with up to two signs between; else 0."""
    if len(text) < _SHORT_TEXT or text.find(text[:_PIECE], 1) < 0:
        return 0
    text = text.rstrip(_IDLE)
    for times, between in _TIMES:
        length, rest = divmod(len(text) - (times - 1) * between, times)
        step = length + between
        if rest or text[:_PIECE] != text[step : step + _PIECE]:
            continue
        is_word_twice = times == _TWICE and not _HAN.search(text)
        least = _CLAUSE if is_word_twice else _FEWEST_SIGNS if between else _SENTENCE
        is_long = length >= least and _LETTER.search(text, 0, length)
        if is_long and all(text.startswith(text[:length], n * step) for n in range(1, times)):
            return times
    return 0
