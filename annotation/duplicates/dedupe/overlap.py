"""Finds which items have a run of words or characters in common with reference texts.

A reference text is what a model may have been trained on, or another benchmark. An item *overlaps* if
one of its n-grams stands in a reference: 13 words where spaces part words, as for GPT-3 (Brown et al.
2020, appendix C), 30 characters elsewhere. Texts are folded first, without case and punctuation.
An item shorter than one n-gram cannot be judged.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import regex

from languages import get_language
from languages.folding import fold

WORDS: Final = 13
CHARACTERS: Final = 30
SHOWN: Final = 5
EXCERPT: Final = 160
_NO_WORD: Final = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """Where an item's n-gram stands: `place` names file and line, `excerpt` is the n-gram's text."""

    place: str
    excerpt: str


@dataclass(slots=True)
class ItemOverlap:
    """`matched` of the `total` n-grams of an item stand in a reference; `hits` are the first few.

    `total` is 0 for an item that is too short.
    """

    total: int
    matched: int = 0
    hits: list[Hit] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.matched / self.total if self.total else 0.0


class OverlapSearch:
    """The n-grams of a set of items, to look for in reference texts one by one.

    Memory grows with the items, not with the references.
    """

    def __init__(self, texts: Sequence[str], *, language: str, size: int = 0) -> None:
        self.is_by_word = get_language(language).is_spaced
        self.size = size or (WORDS if self.is_by_word else CHARACTERS)
        self.found: list[ItemOverlap] = []
        self._items: dict[str, list[int]] = {}
        self._seen: set[str] = set()
        for at, text in enumerate(texts):
            grams = set(self._grams(text))
            self.found.append(ItemOverlap(len(grams)))
            for gram in grams:
                self._items.setdefault(gram, []).append(at)

    def look_in(self, text: str, place: str) -> None:
        """Count the n-grams of one reference text; the same n-gram counts once."""
        for gram in self._grams(text):
            if gram in self._items:
                self._count(gram, place)

    def _count(self, gram: str, place: str) -> None:
        is_new = gram not in self._seen
        self._seen.add(gram)
        for at in self._items[gram]:
            overlap = self.found[at]
            overlap.matched += is_new
            if len(overlap.hits) < SHOWN and all(hit.place != place for hit in overlap.hits):
                overlap.hits.append(Hit(place, gram[:EXCERPT]))

    def _grams(self, text: str) -> Iterator[str]:
        plain = _NO_WORD.sub(" ", fold(text)).casefold().strip()
        if self.is_by_word:
            words = plain.split()
            for start in range(len(words) - self.size + 1):
                yield " ".join(words[start : start + self.size])
        else:
            plain = re.sub(" ", "", plain)
            for start in range(len(plain) - self.size + 1):
                yield plain[start : start + self.size]


def search_overlap(
    texts: Sequence[str],
    references: Iterable[tuple[str, str]],
    *,
    language: str,
    size: int = 0,
) -> list[ItemOverlap]:
    """Return the overlap of each text with references, given as (place, text)."""
    search = OverlapSearch(texts, language=language, size=size)
    for place, text in references:
        search.look_in(text, place)
    return search.found
