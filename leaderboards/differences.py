"""How two entries of a leaderboard differ: in all, and in each category and level that both have.

The intervals are those of `ranking`: for models that answer the same items rather too wide than too
narrow, and of the shares that the board shows, so that they tell nothing more of hidden items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from leaderboards.queries import Board, Row
from leaderboards.ranking import Measured, difference_interval

ALL, CATEGORIES, LEVELS = "all", "categories", "levels"


class EntryUnknown(DomainError):
    code = "entry_unknown"
    detail = _("This leaderboard has no entry “%(name)s” with a score. Choose one of its list.")
    status = 404


@dataclass(frozen=True, slots=True)
class Difference:
    """The share of the first entry less that of the second; `kind` says what `name` is the name of."""

    kind: str
    name: str
    first: float
    second: float
    difference: float
    low: float
    high: float


def entry_name(row: Row) -> str:
    """Return how an entry is named in an address: by its model, and its team if it has one."""
    return " · ".join(filter(None, (row.model, row.team)))


def entry_names(board: Board) -> list[str]:
    """Return the names of the entries that have a score, each once, the best first."""
    return list(dict.fromkeys(entry_name(row) for row in board.rows if row.share is not None))


def find_entry(board: Board, name: str) -> Row:
    """Return the best entry of a name, or else of a model. Raises EntryUnknown."""
    rows = [row for row in board.rows if row.share is not None]
    named = (row for row in rows if name in (entry_name(row), row.model))
    found = next((row for row in rows if entry_name(row) == name), None) or next(named, None)
    if found is None:
        raise EntryUnknown(name=name)
    return found


def differences(first: Row, second: Row) -> Iterator[Difference]:
    """Yield the difference in all, then those by category and by level."""
    whole = Measured(first.share or 0, first.n), Measured(second.share or 0, second.n)
    yield _difference(ALL, "", *whole)
    for kind in (CATEGORIES, LEVELS):
        ours, theirs = getattr(first, kind), getattr(second, kind)
        for name in sorted(ours.keys() & theirs.keys()):
            pair = (Measured(each.share, each.n) for each in (ours[name], theirs[name]))
            yield _difference(kind, name, *pair)


def differences_json(board: Board, first: Row, second: Row) -> dict[str, Any]:
    """Return what the API tells of two entries."""
    return {
        "version": board.release.version,
        "part": board.part,
        "first": entry_name(first),
        "second": entry_name(second),
        "differences": list(differences(first, second)),
    }


def _difference(kind: str, name: str, first: Measured, second: Measured) -> Difference:
    low, high = difference_interval(first, second)
    difference = first.share - second.share
    return Difference(kind, name, first.share, second.share, difference, low, high)
