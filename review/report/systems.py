"""What the report takes from comparisons: its table of translation systems, and the texts found best.

Comparisons are read by a room above this one, which declares itself with `declare_comparisons`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from common.figure_tables import Table
from projects.models import Project


@dataclass(frozen=True, slots=True)
class ComparedSystems:
    """The systems of the latest closed comparison, as a table and as JSON rows."""

    round: int
    table: Table
    rows: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class BestTexts:
    """The revision found best of each item that the latest closed comparison decides.

    Programs gave `simulated` of its answers, not people.
    """

    revisions: Mapping[int, int]
    simulated: int


Reader = Callable[[Project, int | None], ComparedSystems | None]
BestReader = Callable[[Project, int | None], BestTexts | None]
_readers: list[tuple[Reader, BestReader]] = []


def declare_comparisons(read: Reader, best: BestReader) -> None:
    """Have `read` and `best` tell of a project's comparisons as of a round, or of this moment."""
    if (read, best) not in _readers:
        _readers.append((read, best))


def compared_systems(project: Project, as_of: int | None) -> ComparedSystems | None:
    """The systems of the latest closed comparison up to round `as_of`; None without any."""
    found = (read(project, as_of) for read, _best in _readers)
    return next((each for each in found if each), None)


def best_texts(project: Project, as_of: int | None) -> BestTexts | None:
    """Return the best texts of the latest closed comparison up to round `as_of`; None without any."""
    found = (best(project, as_of) for _read, best in _readers)
    return next((each for each in found if each), None)
