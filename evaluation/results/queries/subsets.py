"""What runs got on the open and the hidden part of a release, by subject, as counts that are kept."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Q

from annotation.enums import ItemKind, SplitName
from common.intervals import wilson_interval
from evaluation.models import Run, Score
from evaluation.results.queries.figures import KEEP_SECONDS, counted_version
from evaluation.results.queries.items import newest_scores

NUMERIC = "numeric"


@dataclass(frozen=True, slots=True)
class Figure:
    """A share with its interval, of `n` items or answers."""

    share: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Cell:
    """Scored answers, right ones, and the different items they are for."""

    read: int = 0
    right: int = 0
    items: int = 0

    def __add__(self, other: "Cell") -> "Cell":
        return Cell(self.read + other.read, self.right + other.right, self.items + other.items)


Cells = dict[tuple[str, int], Cell]
"""(subset, subject id) → what a run got there."""


def figure_of(cells: Iterable[Cell]) -> Figure | None:
    """Return the share of right answers; None without answers.

    The interval is that of as many items as were answered, however often each was asked.
    """
    found = sum(cells, Cell())
    if not found.read:
        return None
    share = found.right / found.read
    interval = wilson_interval(share * found.items, found.items)
    return Figure(share, interval.low, interval.high, found.items)


def cells_of(runs: Sequence[Run]) -> dict[int, Cells]:
    """Return what each run got on test items. Takes a query, and another one if anything is not kept.

    Each counts with its headline method, and the one for numbers if it has that.
    """
    newest = newest_scores(runs)
    keys = {
        run.pk: f"run-cells-1:{run.pk}:{run.started_at.timestamp()}:{run.headline_method}:{newest[run.pk]}"
        for run in runs
    }
    kept = cache.get_many(list(keys.values()))
    found: dict[int, Cells] = {pk: kept[key] for pk, key in keys.items() if key in kept}
    counted = _count([run for run in runs if run.pk not in found])
    cache.set_many({keys[pk]: cells for pk, cells in counted.items()}, KEEP_SECONDS)
    return found | counted


def _count(runs: Sequence[Run]) -> dict[int, Cells]:
    if not runs:
        return {}
    by_method: dict[int, dict[str, dict[int, Cells]]] = {
        run.pk: defaultdict(lambda: defaultdict(dict)) for run in runs
    }
    place = "response__release_item__"
    scores = Score.objects.filter(run__in=list(by_method), **{f"{place}split": SplitName.TEST})
    rows = scores.exclude(**{f"{place}kind": ItemKind.OPEN}).order_by()
    grouped = rows.values_list(
        "run", "method", "version", f"{place}subset", f"{place}subject"
    ).annotate(
        read=Count("pk"),
        right=Count("pk", filter=Q(is_correct=True)),
        items=Count("response__release_item", distinct=True),
    )
    for run, method, version, subset, subject, read, right, items in grouped:
        by_method[run][method][version][subset, subject] = Cell(read, right, items)
    return {run.pk: _counted(run, by_method[run.pk]) for run in runs}


def _counted(run: Run, by_method: dict[str, dict[int, Cells]]) -> Cells:
    found: Cells = defaultdict(Cell)
    for name in dict.fromkeys((run.headline_method, NUMERIC)):
        if versions := by_method.get(name):
            read = {
                key: sum(cell.read for cell in cells.values()) for key, cells in versions.items()
            }
            for place, cell in versions[counted_version(read)].items():
                found[place] += cell
    return dict(found)
