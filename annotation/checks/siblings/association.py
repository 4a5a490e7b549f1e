"""Learns from pairs of texts which units of two languages belong together.

A unit is a word, syllable or character, a pair of neighbours, or a sign that no translation changes.
How closely two belong together is their Dice coefficient, in 0..1: twice the number of pairs that
have both, by the sum of the numbers that have each. Three pairs are added to that sum, so that two
units that met once by chance say little.
"""

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
from scipy import sparse

from annotation.checks.catalogue.likeness import signs_of
from languages.base import Language
from languages.units import units_of

Units = frozenset[str]
UnitPair = tuple[Units, Units]
"""The units of a source text and those of its translation."""
Matrix = np.ndarray[Any, np.dtype[np.float64]]

_DISCOUNT: Final = 3.0
_SIGN: Final = "="
_JOINERS: Final = {"space": " ", "tsheg": "་", "character": ""}


def compared_units(text: str, language: Language) -> Units:
    """Return the units of a text; a sign begins with a mark, so that it equals no word."""
    units = units_of(text, language)
    joiner = _JOINERS[language.segmentation]
    neighbours = (f"{one}{joiner}{other}" for one, other in pairwise(units))
    signs = (f"{_SIGN}{sign.lower()}" for sign in signs_of(text))
    return frozenset([*units, *neighbours, *signs])


def shown_unit(unit: str) -> str:
    """Return a unit as people read it."""
    return unit.removeprefix(_SIGN)


def presence(texts: Sequence[Units], units: Sequence[str]) -> Matrix:
    """Return 1 for each unit that is in a text, else 0: a row for each text, a column for each unit."""
    return np.array([[unit in text for unit in units] for text in texts], dtype=float).reshape(
        len(texts), len(units)
    )


class Association:
    """In which pairs of texts each unit of both languages is."""

    def __init__(self, pairs: Iterable[UnitPair]) -> None:
        self._source, self._target = _Side(), _Side()
        for source, target in pairs:
            self._source.add(source)
            self._target.add(target)

    def strengths(
        self, source: Sequence[str], target: Sequence[str], own: Sequence[UnitPair]
    ) -> Matrix:
        """Return how closely each unit of the source belongs to each of the target.

        Of the pairs learned, `own` are not counted. A sign that both have belongs to itself.
        """
        ours, theirs = self._source.columns(source), self._target.columns(target)
        own_source = presence([pair[0] for pair in own], source)
        own_target = presence([pair[1] for pair in own], target)
        both = (ours.T @ theirs).toarray() - own_source.T @ own_target
        each = np.asarray(ours.sum(axis=0)).ravel() - own_source.sum(axis=0)
        other = np.asarray(theirs.sum(axis=0)).ravel() - own_target.sum(axis=0)
        found: Matrix = 2 * both / (each[:, None] + other[None, :] + _DISCOUNT)
        places = {unit: column for column, unit in enumerate(target) if unit.startswith(_SIGN)}
        for row, unit in enumerate(source):
            if unit in places:
                found[row, places[unit]] = 1.0
        return found


class _Side:
    """The units of one language: a row for each text, a column for each unit, the last one empty."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._found = array("i")
        self._ends = array("i", [0])

    def add(self, units: Units) -> None:
        """Add the next text."""
        self._found.extend(self._columns.setdefault(unit, len(self._columns)) for unit in units)
        self._ends.append(len(self._found))

    def columns(self, units: Sequence[str]) -> Any:
        """Return the columns of some units, the empty one for a unit that was never learned."""
        return self._matrix[:, [self._columns.get(unit, -1) for unit in units]]

    @cached_property
    def _matrix(self) -> Any:
        shape = (len(self._ends) - 1, len(self._columns) + 1)
        ones = np.ones(len(self._found), dtype=np.float32)
        return sparse.csr_matrix((ones, self._found, self._ends), shape=shape).tocsc()
