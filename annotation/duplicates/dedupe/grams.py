"""Overlap of texts: how much of their n-grams two of them share, counted once for each text."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

# Texts whose n-grams are held at a time; about 2 kB each.
KEPT = 20_000

Numbers = NDArray[np.int32]


class Grams:
    """The n-grams of numbered texts, of `size` characters; `text_of` gives a text by its number.

    The second occurrence of an n-gram in a text is an n-gram of its own, so that sets of them
    stand for multisets.
    """

    def __init__(self, text_of: Callable[[int], str], size: int) -> None:
        self._text_of = text_of
        self._size = size
        self._forget()

    def overlaps(self, one: int, others: Sequence[int]) -> list[float]:
        """Return the Jaccard index of the multisets of one text and each other: shared / all.

        1 for equal texts, 0 where both hold no n-gram.
        """
        if not others:
            return []
        if len(self._grams) > KEPT:
            self._forget()
        mine, theirs = self._of(one), [self._of(other) for other in others]
        is_mine = np.zeros(len(self._numbers), np.bool_)
        is_mine[mine] = True
        shared = np.array([np.count_nonzero(is_mine[grams]) for grams in theirs])
        union = np.array([len(grams) for grams in theirs]) + len(mine) - shared
        return np.divide(shared, union, out=np.zeros(len(others)), where=union > 0).tolist()  # type: ignore[no-any-return]

    def _of(self, number: int) -> Numbers:
        if number not in self._grams:
            self._grams[number] = self._counted(self._text_of(number))
        return self._grams[number]

    def _counted(self, text: str) -> Numbers:
        size, numbers = self._size, self._numbers
        counts = Counter(text[at : at + size] for at in range(len(text) - size + 1))
        found = [numbers.setdefault(gram, len(numbers)) for gram in counts]
        for gram, count in counts.items():
            found += [numbers.setdefault((gram, n), len(numbers)) for n in range(1, count)]
        return np.array(found, np.int32)

    def _forget(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._grams: dict[int, Numbers] = {}
