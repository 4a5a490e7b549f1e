"""Parts sentences into words, and puts words together to sentences, as the script of a language does.

A language without spaces between its words needs the words parted by “|”: a syllable or a character
moved away from its word makes no word.
"""

import re
from collections.abc import Sequence
from typing import Final

from languages.base import Language
from languages.folding import fold

BAR: Final = "|"
_END_MARK: Final = re.compile(r"[^\w\s\u0f0b\u0f0c]|[\u0f0d-\u0f14]")
_MARKS: Final = re.compile(r"[^\w\u0f0b]|_")
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


def without_end(words: Sequence[str]) -> tuple[list[str], str]:
    """Return words without the marks at the end of the sentence, and these marks."""
    last = words[-1] if words else ""
    start = len(last)
    while start and _END_MARK.match(last[start - 1]):
        start -= 1
    if not start:
        return list(words), ""
    return [*words[:-1], last[:start]], last[start:]


def bare(word: str) -> str:
    """Return a word as it is compared: folded, in small letters, without marks."""
    return _MARKS.sub("", fold(word).casefold()).strip(_TSHEG)


def bare_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a sentence as they are compared; marks that stand alone are none."""
    return tuple(filter(None, map(bare, words)))
