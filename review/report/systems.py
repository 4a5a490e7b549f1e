"""Where the table of translation systems comes from: a comparison, or else first judgements.

Comparisons are read by a room above this one, which declares itself with `declare_comparisons`.
"""

from collections.abc import Callable
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


Reader = Callable[[Project, int | None], ComparedSystems | None]
_readers: list[Reader] = []


def declare_comparisons(read: Reader) -> None:
    """Have `read` give the systems of a project's comparisons as of a round, or of this moment."""
    if read not in _readers:
        _readers.append(read)


def compared_systems(project: Project, as_of: int | None) -> ComparedSystems | None:
    """The systems of the latest closed comparison up to round `as_of`; None without any."""
    found = (read(project, as_of) for read in _readers)
    return next((each for each in found if each), None)
