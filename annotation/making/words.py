"""Parts sentences into words, and puts words together to sentences, as the script of a language does.

A language without spaces between its words needs the words parted by “|”: a syllable or a character
moved away from its word makes no word.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

import regex

from languages.base import Language
from languages.folding import fold

BAR: Final = "|"
_MARKS: Final = regex.compile(r"[^\p{L}\p{M}\p{N}\u0f0b]")
_OUTER: Final = frozenset({"Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Zs"})
_OF_WORDS: Final = frozenset("-_%‰#@&*/\\\u0f0b\u0f0c\u180a")
"""Marks that belong to a word: a minus sign, a percent sign, a tsheg."""
_TSHEG: Final = "་"


def words_of(sentence: str, language: Language) -> list[str]:
    """Return the words of a sentence with the marks that stand at them; one word if none are parted."""
    if BAR in sentence or not language.is_spaced:
        parts = sentence.split(BAR)
        return [word for part in parts if (word := part.strip())]
    return sentence.split()


def sentence_of(words: Sequence[str], language: Language) -> str:
    """Return words put together: with spaces, with tshegs, or with nothing between them."""
    if language.is_spaced:
        return " ".join(words)
    if language.segmentation == "tsheg":
        return _TSHEG.join(word.rstrip(_TSHEG) for word in words)
    return "".join(words)


def without_outer_marks(sentence: str) -> tuple[str, str, str]:
    """Return the marks before a sentence, the sentence without them, and the marks after it.

    A tsheg before a shad goes with it.
    """
    start, end = 0, len(sentence)
    while start < end and _is_outer(sentence[start]):
        start += 1
    while end > start and _is_outer(sentence[end - 1]):
        end -= 1
    rest = sentence[start:end].rstrip(_TSHEG) if end < len(sentence) else sentence[start:end]
    marks = sentence[:start], sentence[start + len(rest) :]
    before, after = (each.replace(BAR, "") for each in marks)
    return before, rest, after


def bare(word: str) -> str:
    """Return a word as it is compared: folded, in small letters, without marks."""
    return _MARKS.sub("", fold(word).casefold()).strip(_TSHEG)


def bare_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a sentence as they are compared; marks that stand alone are none."""
    return tuple(filter(None, map(bare, words)))


def _is_outer(sign: str) -> bool:
    return sign == BAR or (sign not in _OF_WORDS and unicodedata.category(sign) in _OUTER)
