"""What runs got on the open and the hidden part of a release, by subject, as counts that are kept."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.core.cache import cache
from django.db.models import Count, Q

from annotation.enums import ItemKind, SplitName
from common.batches import batched
from common.intervals import wilson_interval
from evaluation.models import Run, Score
from evaluation.results.queries.figures import KEEP_SECONDS, counted_version
from evaluation.results.queries.items import newest_scores
from scoring.scorers import numeric

NUMERIC = "numeric"
ITEMS_A_QUERY = 500


@dataclass(frozen=True, slots=True)
class CorrectedKeys:
    """The keys of some released items, by id, that count instead of the released ones.

    Keys with the same `name` are always the same, as what runs got by them is kept under it.
    """

    name: str
    keys: Mapping[int, str]


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


@dataclass(frozen=True, slots=True)
class Counted:
    """What a run got, and the version of each method that was counted."""

    cells: Cells
    versions: Mapping[str, int]


PLACED = "response__release_item__"
COUNTED = ("run", "method", "version", f"{PLACED}subset", f"{PLACED}subject")


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


def cells_of(runs: Sequence[Run], corrected: CorrectedKeys | None = None) -> dict[int, Cells]:
    """Return what each run got on test items, by the released keys or by corrected ones.

    Takes a query, and further ones if anything is not kept. Each run counts with its headline method,
    and the one for numbers if it has that.
    """
    newest, by_pk = newest_scores(runs), {run.pk: run for run in runs}
    names = {
        run.pk: f"run-cells-2:{run.pk}:{run.started_at.timestamp()}:{run.headline_method}:{newest[run.pk]}"
        for run in runs
    }
    counted = _kept(names, lambda left: _count([by_pk[pk] for pk in left]))
    if corrected is not None:
        released, keys = counted, corrected.keys
        names = {pk: f"{name}:{corrected.name}" for pk, name in names.items()}
        counted = _kept(names, lambda left: _by_keys({pk: released[pk] for pk in left}, keys))
    return {pk: each.cells for pk, each in counted.items()}


def _kept(
    names: Mapping[int, str], count: Callable[[Sequence[int]], dict[int, Counted]]
) -> dict[int, Counted]:
    """Return what is kept of each run under its name, and what `count` returns of the others."""
    kept = cache.get_many(list(names.values()))
    found: dict[int, Counted] = {pk: kept[name] for pk, name in names.items() if name in kept}
    missing = [pk for pk in names if pk not in found]
    counted = count(missing) if missing else {}
    cache.set_many({names[pk]: each for pk, each in counted.items()}, KEEP_SECONDS)
    return found | counted


def _count(runs: Sequence[Run]) -> dict[int, Counted]:
    by_method: dict[int, dict[str, dict[int, Cells]]] = {
        run.pk: defaultdict(lambda: defaultdict(dict)) for run in runs
    }
    scores = Score.objects.filter(run__in=list(by_method), **{f"{PLACED}split": SplitName.TEST})
    rows = scores.exclude(**{f"{PLACED}kind": ItemKind.OPEN}).order_by()
    grouped = rows.values_list(*COUNTED).annotate(
        read=Count("pk"),
        right=Count("pk", filter=Q(is_correct=True)),
        items=Count("response__release_item", distinct=True),
    )
    for run, method, version, subset, subject, read, right, items in grouped:
        by_method[run][method][version][subset, subject] = Cell(read, right, items)
    return {run.pk: _counted(run, by_method[run.pk]) for run in runs}


def _by_keys(released: Mapping[int, Counted], keys: Mapping[int, str]) -> dict[int, Counted]:
    """Return the counts of runs with the answers to some test items, by id, compared with `keys`."""
    cells: dict[int, Cells] = {pk: dict(each.cells) for pk, each in released.items()}
    scores = Score.objects.filter(response__run__in=list(released)).order_by()
    columns = ("response__release_item", f"{PLACED}kind", "letter", "is_correct")
    for items in batched(keys, ITEMS_A_QUERY):
        rows = scores.filter(response__release_item__in=items).values_list(*COUNTED, *columns)
        for run, method, version, *place, item, kind, letter, was_right in rows.iterator():
            if released[run].versions.get(method) == version:
                change = _is_key(letter, kind, keys[item]) - was_right
                cells[run][tuple(place)] += Cell(right=change)
    return {pk: Counted(cells[pk], each.versions) for pk, each in released.items()}


def _is_key(found: str, kind: str, key: str) -> bool:
    """Whether the answer as a score keeps it is the key; of numbers the score keeps 40 characters."""
    if kind != ItemKind.NUMBER:
        return found == key
    try:
        return numeric.is_key(Fraction(found), key)
    except (ValueError, ZeroDivisionError):
        return False


def _counted(run: Run, by_method: dict[str, dict[int, Cells]]) -> Counted:
    found: Cells = defaultdict(Cell)
    chosen: dict[str, int] = {}
    for name in dict.fromkeys((run.headline_method, NUMERIC)):
        if versions := by_method.get(name):
            read = {
                key: sum(cell.read for cell in cells.values()) for key, cells in versions.items()
            }
            chosen[name] = counted_version(read)
            for place, cell in versions[chosen[name]].items():
                found[place] += cell
    return Counted(dict(found), chosen)
