"""Texts as terms are looked for in them: one form for what looks the same, with the way back to the text."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

# Invisible characters that say where a line may break, or which shape a letter takes.
_IGNORED: Final = re.compile("[\u00ad\u200b\u2060\ufeff\u180b-\u180d\u180f]")
_SAME: Final = str.maketrans(
    {"\u0f0c": "\u0f0b", **dict.fromkeys("\t\n\r\v\f\u00a0\u2007\u202f\u3000", " ")}
)
_PUNCTUATION: Final = " \u0f0b\u0f0d\u0f0e\u0f11\u0f14"


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `spans` has the place of each of its characters, none where nothing moved."""

    text: str
    spans: tuple[tuple[int, int], ...] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the folded text stands in the text itself."""
        if self.spans is None:
            return start, end
        return self.spans[start][0], self.spans[end - 1][1]


def fold(text: str) -> Folded:
    """The text in NFC without capital letters and invisible characters, spaces and tshegs alike."""
    if unicodedata.is_normalized("NFC", text) and not _IGNORED.search(text):
        folded = text.casefold()
        if len(folded) == len(text):
            return Folded(folded.translate(_SAME))
    return _fold_by_cluster(text)


@lru_cache(maxsize=16_384)
def fold_term(text: str) -> str:
    """A term as it is looked for: folded, without blanks, tshegs and shads at its ends."""
    return fold(text).text.strip(_PUNCTUATION)


def _fold_by_cluster(text: str) -> Folded:
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        cluster = _IGNORED.sub("", unicodedata.normalize("NFC", text[start:end]))
        folded = cluster.casefold().translate(_SAME)
        parts.append(folded)
        spans += [(start, end)] * len(folded)
    return Folded("".join(parts), tuple(spans))


def _clusters(text: str) -> list[tuple[int, int]]:
    """The places of each character with the marks behind it, which normalising may join to it."""
    starts = [i for i, char in enumerate(text) if i == 0 or not unicodedata.combining(char)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))
