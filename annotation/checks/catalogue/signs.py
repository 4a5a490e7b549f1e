"""The minus of a number or a letter, in signs or in words: lost or come in on one side of a pair."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from languages.base import Language
from languages.spoken_numbers import number_at_end, number_at_start, spoken_numbers

# A digit comes first, so that the engine leaps from one to the next.
N: Final = r"\d(?<!\d\d)\d{0,14}(?:[.,]\d{1,15}){0,3}"
"""A number in ASCII digits, as a regular expression."""
NUMBER: Final = re.compile(N)
_MINUS: Final = re.compile(rf"-(?={N})")
_LATIN_OR_CLOSING: Final = re.compile(r"[A-Za-z0-9)\]}%°]")
_OPERAND_BEFORE: Final = re.compile(r"(?:(?<![A-Za-z])[A-Za-z]|[\d)\]}%°²³])\s?$")
_RANGE_BEFORE: Final = re.compile(r"\d[^\s,，。;；:=<>≤≥(（\[、།]{0,6}\s?$")
_BOTH_MINUS: Final = re.compile(rf"[-±∓]\s?({N})")
# x=-y, f(-x), and -a+b or -a alone; not -OH, nor a list whose lines begin with "- a".
_OF_LETTER: Final = re.compile(r"([=<>≤≥(\[{,+*/×÷])\s?-\s?([A-Za-z])(?![A-Za-z])")
_FIRST_OF_LETTER: Final = re.compile(r"(?<![A-Za-zΑ-Ωα-ω0-9)\]}°%. -])-([a-zα-ω√])(?![A-Za-z])")
_GAP: Final = " ་"
_CLOSE: Final = 4
_NEAR: Final = 12
_WINDOW: Final = 24
_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class Sides:
    """A text, the text that it is compared with, and the language of each."""

    text: str
    other: str
    language: Language
    other_language: Language


def signs(sides: Sides) -> Iterator[str]:
    """Yield -2 where the other side has 2 and no minus before it, in signs or words."""
    text, other = sides.text, sides.other
    if "-" not in text:
        return
    known = None
    for match in _MINUS.finditer(text):
        number = _number_at(text, match.end())
        if not _is_unary(text, match.start()):
            continue
        if known is None:
            known = set(_BOTH_MINUS.findall(other))
        if number in known or not _has_in_any_form(number, other, sides.other_language):
            continue
        if not _is_said(number, other, sides.other_language):
            yield f"-{number}"


def signs_in_words(sides: Sides) -> Iterator[str]:
    """Yield -5 where a text says 负5, 零下5 or "minus five" and the other has 5 without a minus."""
    if not says_minus(sides.text, sides.language):
        return
    language = sides.other_language
    if says_minus(sides.other, language):
        return
    known = set(_BOTH_MINUS.findall(sides.other))
    said = dict.fromkeys(_said_negative(sides.text, sides.language))
    for number in islice(said, _MOST):
        if number not in known and _has_in_any_form(number, sides.other, language):
            yield f"-{number}"


def says_minus(text: str, language: Language) -> bool:
    """Return whether a word for a minus stands anywhere; cheap, and true of 负荷 too."""
    return _holds(_words_for_minus(language), text)


@lru_cache(maxsize=64)
def _words_for_minus(language: Language) -> tuple[str, ...]:
    return (*language.minus_words, *language.below_zero_words)


def signs_of_letters(sides: Sides) -> Iterator[str]:
    """Yield -y where a text has x=-y and the other has x=y."""
    if "-" not in sides.text:
        return
    lost = [
        letter
        for before, letter in _OF_LETTER.findall(sides.text)
        if _has_bare(before, letter, sides.other)
    ]
    lost += [
        letter
        for letter in _FIRST_OF_LETTER.findall(sides.text)
        if _has_bare("", letter, sides.other)
    ]
    for letter in dict.fromkeys(lost):
        if not _is_said(letter, sides.other, sides.other_language):
            yield f"-{letter}"


def _has_bare(before: str, letter: str, text: str) -> bool:
    """Return whether a text has a letter, behind another sign perhaps, and nowhere with a minus."""
    start = rf"{re.escape(before)}\s?" if before else "(?<![A-Za-z])"
    alone = re.search(rf"{start}{letter}(?![A-Za-z])", text)
    return bool(alone) and not re.search(rf"{re.escape(before)}\s?-\s?{letter}(?![A-Za-z])", text)


def has_number(number: str, text: str) -> bool:
    """Return whether a number stands in a text, whole and in digits."""
    return number in NUMBER.findall(text)


def _has_in_any_form(number: str, text: str, language: Language) -> bool:
    if has_number(number, text):
        return True
    return number.isdecimal() and int(number) in spoken_numbers(text, language)


def _said_negative(text: str, language: Language) -> Iterator[str]:
    """Yield the numbers right behind a word for a minus, but for 正负5 and 8 minus 5."""
    lowered = text.lower()
    for word in language.minus_words:
        at = lowered.find(word)
        while at >= 0:
            end = at + len(word)
            number = number_at_start(lowered[end : end + _WINDOW].lstrip(_GAP), language)
            if number and not _is_operator(lowered, at, end, language):
                yield number
            at = lowered.find(word, end)


def _is_operator(text: str, at: int, end: int, language: Language) -> bool:
    """Return whether the word takes one number from another, or is part of a longer word."""
    if any(text.endswith(longer, 0, end) for longer in language.minus_exceptions):
        return True
    before = text[max(0, at - _WINDOW) : at]
    return bool(_OPERAND_BEFORE.search(before)) or number_at_end(before, language) is not None


def _is_said(number: str, text: str, language: Language) -> bool:
    """Return whether a minus is said of a number: 零下5度, 5 degrees below zero, not 负荷为5."""
    before, after = language.minus_words, language.below_zero_words
    return _stands_close(before, number, text) or _stands_behind(after, number, text)


def _stands_close(words: tuple[str, ...], number: str, text: str) -> bool:
    lowered = text.lower()
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            if number in lowered[at : at + len(word) + len(number) + _CLOSE]:
                return True
            at = lowered.find(word, at + 1)
    return False


def _stands_behind(words: tuple[str, ...], number: str, text: str) -> bool:
    lowered = text.lower()
    return any(
        number in lowered[max(0, at - len(number) - _NEAR) : at]
        for word in words
        if (at := lowered.find(word)) > 0
    )


def _holds(words: tuple[str, ...], text: str) -> bool:
    lowered = text.lower() if _have_case(words) else text
    return any(word in lowered for word in words)


@lru_cache(maxsize=64)
def _have_case(words: tuple[str, ...]) -> bool:
    """Return whether words are written in capitals too: `str.lower` takes longer than to look for them."""
    return any(word != word.upper() for word in words)


def _number_at(text: str, start: int) -> str:
    match = NUMBER.match(text, start)
    return match[0] if match else ""


def _is_unary(text: str, at: int) -> bool:
    """Return whether a minus belongs to the number after it: not in 5-3, COVID-19 or 20℃-30℃."""
    before = text[:at].rstrip(" ")
    if before and _LATIN_OR_CLOSING.match(before[-1]):
        return False
    return not _RANGE_BEFORE.search(text[max(0, at - 8) : at])
