"""How two entries of a leaderboard differ: in all, and in each category and level that both have.

The intervals are those of `ranking`: for models that answer the same items rather too wide than too
narrow, and of the shares that the board shows, so that they tell nothing more of hidden items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from leaderboards.queries import Board
from leaderboards.ranking import Measured, difference_interval
from leaderboards.rows import Row

ALL, CATEGORIES, LEVELS = "all", "categories", "levels"


class EntryUnknown(DomainError):
    code = "entry_unknown"
    detail = _("This leaderboard has no entry “%(name)s” with a score. Choose one of its list.")
    status = 404


class SameEntry(DomainError):
    code = "same_entry"
    detail = _(
        "Both names are those of the entry “%(name)s”. Choose another one to compare it with."
    )
    status = 400


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


def listed_entries(board: Board) -> list[Row]:
    """Return the entries that have a score, the best first."""
    return [row for row in board.rows if row.share is not None]


def chosen_pair(board: Board, first: str, second: str) -> tuple[Row, Row]:
    """Return two entries by their names. Raises EntryUnknown, SameEntry."""
    one, other = _find_entry(board, first), _find_entry(board, second)
    if one == other:
        raise SameEntry(name=one.name)
    return one, other


def _find_entry(board: Board, name: str) -> Row:
    """Return the entry of a name, or else the best of a model and team, or of a model. Raises EntryUnknown."""
    rows = listed_entries(board)
    for field in ("name", "model_and_team", "model"):
        if found := next((row for row in rows if getattr(row, field) == name), None):
            return found
    raise EntryUnknown(name=name)


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
        "is_yanked": board.is_yanked,
        "yank_reason": board.release.yank_reason,
        "part": board.part,
        "first": first.name,
        "second": second.name,
        "differences": list(differences(first, second)),
    }


def _difference(kind: str, name: str, first: Measured, second: Measured) -> Difference:
    low, high = difference_interval(first, second)
    difference = first.share - second.share
    return Difference(kind, name, first.share, second.share, difference, low, high)
