"""Compares which answer items take for right, for very many pairs at once."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.duplicates.dedupe.normalise import normalise, normalise_keeping_case
from annotation.duplicates.dedupe.texts import ItemText, comparable_key, may_fold_case

Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Codes:
    """Equal numbers for equal keys, case folded or kept; which rows count at all."""

    folded: NDArray[np.intp]
    cased: NDArray[np.intp]
    may_fold: Flags
    counts: Flags

    def same(self, a: Rows, b: Rows) -> Flags:
        folds = self.may_fold[a] & self.may_fold[b]
        equal: Flags = np.where(
            folds, self.folded[a] == self.folded[b], self.cased[a] == self.cased[b]
        )
        equal &= self.counts[a] & self.counts[b]
        return equal


class Answers:
    """The keys of items in one or several languages, row k of each being item k.

    The last language has the last word: before it only items with options count.
    """

    def __init__(self, *languages: Sequence[ItemText]) -> None:
        self._languages = languages
        self._codes: list[_Codes] = []

    def differ(self, a: Rows, b: Rows) -> Flags:
        """Return whether no language says `same_key` of rows `a` and `b`, which numpy may broadcast."""
        if not self._codes:
            self._codes = [_codes(items) for items in self._languages]
            self._codes[-1].counts[:] = True
        same = self._codes[0].same(a, b)
        for codes in self._codes[1:]:
            same |= codes.same(a, b)
        return ~same


def _codes(items: Sequence[ItemText]) -> _Codes:
    may_fold = np.array([may_fold_case([item]) for item in items], np.bool_)
    folded = _numbered(items, normalise)
    return _Codes(
        folded,
        folded if may_fold.all() else _numbered(items, normalise_keeping_case),
        may_fold,
        np.array([bool(item.options) for item in items], np.bool_),
    )


def _numbered(items: Sequence[ItemText], fold: Callable[[str], str]) -> NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    keys = (comparable_key(item, fold) for item in items)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.intp)
