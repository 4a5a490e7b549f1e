"""Texts as terms are looked for in them: one form for what looks the same, with the way back to the text."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from languages.folding import fold_signs

_SAME: Final = str.maketrans(dict.fromkeys("\n\r\v\f", " "))
_JOINED: Final = frozenset("\u0eb2\u0eb3\u0ebc\u0ecd")
_PUNCTUATION: Final = " \u0f0b\u0f0d\u0f0e\u0f11\u0f14"


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `spans` has the place of each of its characters, none where nothing moved."""

    text: str
    spans: tuple[tuple[int, int], ...] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where a part of the folded text stands in the text itself."""
        if self.spans is None:
            return start, end
        return self.spans[start][0], self.spans[end - 1][1]


def fold(text: str) -> Folded:
    """Return the text without capital letters, with one form for all that looks the same."""
    if fold_signs(text) == text:
        folded = text.casefold()
        if len(folded) == len(text):
            return Folded(folded.translate(_SAME))
    return _fold_by_cluster(text)


@lru_cache(maxsize=16_384)
def fold_term(text: str) -> str:
    """Return a term as it is looked for: folded, without blanks, tshegs and shads at its ends."""
    return fold(text).text.strip(_PUNCTUATION)


def _fold_by_cluster(text: str) -> Folded:
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        folded = fold_signs(fold_signs(text[start:end]).casefold()).translate(_SAME)
        parts.append(folded)
        spans += [(start, end)] * len(folded)
    return Folded("".join(parts), tuple(spans))


def _clusters(text: str) -> list[tuple[int, int]]:
    """Return the places of each character with the marks behind it, which folding may join to it."""
    starts = [i for i, char in enumerate(text) if i == 0 or not _is_joined(char)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _is_joined(character: str) -> bool:
    return unicodedata.combining(character) > 0 or character in _JOINED
