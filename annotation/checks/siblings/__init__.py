"""Compares each text of a set with all others: exchanged options, questions without their end.

Loads NumPy and SciPy: workers and commands only. Knows no database.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Final

from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.siblings.association import UnitPair, compared_units
from annotation.checks.siblings.endings import Endings
from annotation.checks.siblings.exchange import Exchanges
from languages import get_language

FEWEST: Final = 80
"""Fewer different texts show nothing."""
MOST_LEARNED: Final = 10_000
"""More texts than these would show no more."""
_WEIGHT_OF_TERM: Final = 3


class Siblings:
    """What the texts of a set show together.

    Texts that say the same count as one, since a copy is no evidence for what it was copied from.
    Two systems' texts of one item are evidence for each other.
    """

    def __init__(
        self, texts: Iterable[tuple[Hashable, CheckInput]], terms: Iterable[UnitPair] = ()
    ) -> None:
        self._learned: Mapping[Hashable, CheckInput] = _once(texts)
        different = list({id(given): given for given in self._learned.values()}.values())
        self._is_enough = len(different) >= FEWEST
        if self._is_enough:
            self._exchanges = Exchanges(different, terms)
            self._endings = Endings(different)

    def problems(self, name: Hashable, given: CheckInput) -> list[Problem]:
        """Return what a text shows beside the others; `name` is what it was learned as, if it was."""
        if not self._is_enough or not _is_comparable(given):
            return []
        learned = self._learned.get(name)
        found = list(self._endings.problems(given, learned))
        return [*found, *self._exchanges.problems(given, learned)]


def term_pairs(
    terms: Iterable[tuple[str, str]], source_language: str, target_language: str
) -> list[UnitPair]:
    """Return the units of terms and their renderings; each weighs as much as three texts."""
    source, target = get_language(source_language), get_language(target_language)
    pairs = [(compared_units(t, source), compared_units(r, target)) for t, r in terms]
    return [pair for pair in pairs for _ in range(_WEIGHT_OF_TERM)]


def _is_comparable(given: CheckInput) -> bool:
    return given.is_readable and given.source_language != given.target_language


def _once(texts: Iterable[tuple[Hashable, CheckInput]]) -> dict[Hashable, CheckInput]:
    """Return the texts to learn from by name, those that say the same as one object."""
    seen: dict[object, CheckInput] = {}
    return {
        name: seen.setdefault((given.source_text, given.target_text), given)
        for name, given in texts
        if _is_comparable(given)
    }
