"""The work of a duplicate search, in named blocks that a worker can take up again.

The units of a search are planned from its methods and the number of items alone, so the plan is
the same after a kill: for source and target `exact`, `same-question`, `near` and `semantic` by
blocks of rows, and at the end `outdated`. A unit's pairs are written in one short transaction
with its `SearchedBlock` row, whose unique name keeps it from being counted twice; reading and
encoding stand outside of any transaction. Loads numpy, and torch for a semantic search: worker
only.
"""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet

from annotation.duplicates.clusters import (
    join_items,
    lock_clusters,
    measure_clusters,
    regroup_clusters,
)
from annotation.duplicates.dedupe.mining import block_count
from annotation.duplicates.dedupe.pairs import STRENGTH, Pair, Side, merge_pairs
from annotation.duplicates.search_steps import (
    SideWork,
    Steps,
    Unit,
    load_model,
    preparing_steps,
    read_texts,
)
from annotation.enums import ItemState, PairKind, PairState
from annotation.models import DuplicatePair, DuplicateSearch, Item, SearchedBlock
from jobs.models import Job
from jobs.progress import Progress

SIDES: tuple[Side, ...] = ("source", "target")
OUTDATED = "outdated"
WRITTEN_AT_ONCE = 500


def perform_search(job: Job, progress: Progress) -> dict[str, Any]:
    """Do what is missing of a search and return its counts; pairs are keyed by (a, b, side).

    A pair that several units find keeps the strongest kind. A decided pair stays as it was
    decided. A model is loaded before anything else, so that the time left is told of the work
    alone. Raises EmbeddingModelMissing, JobCancelled and JobInterrupted.
    """
    search = DuplicateSearch.objects.select_related("project").get(job=job)
    last_item = int(job.params["last_item"])
    items = Item.objects.filter(project=search.project_id, pk__lte=last_item).count()
    missing = missing_units(search, items)
    needs_model = any(unit.method == PairKind.SEMANTIC for unit in missing)
    embedder = load_model(search.model, progress) if needs_model else None
    steps = _start(search, items, missing, progress)
    for side in SIDES:
        units = [unit for unit in missing if unit.side == side]
        if units:
            work = SideWork(search, side, read_texts(search, side, last_item), steps, embedder)
            for unit in units:
                write_block(work, unit)
                steps.one_more()
    _close(search)
    return summary(search)


def planned_units(methods: Sequence[str], items: int) -> list[Unit]:
    """Return the units of a search over `items` items, strongest method first on each side."""
    blocks = range(block_count(items))
    units = []
    for side in SIDES:
        if PairKind.EXACT in methods:
            units.append(Unit(side, PairKind.EXACT))
        if PairKind.NEAR in methods:
            units.append(Unit(side, "same-question"))
            units += [Unit(side, PairKind.NEAR, block) for block in blocks]
        if PairKind.SEMANTIC in methods:
            units += [Unit(side, PairKind.SEMANTIC, block) for block in blocks]
    return units


def missing_units(search: DuplicateSearch, items: int) -> list[Unit]:
    finished = set(search.blocks.values_list("name", flat=True))
    return [u for u in planned_units(search.methods, items) if u.name not in finished]


def _start(
    search: DuplicateSearch, items: int, missing: Sequence[Unit], progress: Progress
) -> Steps:
    """Start the clock over the units, what must be prepared for the missing ones, and the end."""
    units = len(planned_units(search.methods, items))
    done = units - len(missing)
    preparing = sum(
        preparing_steps(items, [unit.method for unit in missing if unit.side == side])
        for side in SIDES
    )
    progress.start(units + preparing + 1, done=done, note="reading_texts")
    return Steps(progress, done)


def write_block(work: SideWork, unit: Unit) -> None:
    """Find and store a unit's pairs and that it is finished, both or neither.

    A repeat does nothing.
    """
    search, pairs = work.search, merge_pairs(work.pairs(unit))
    try:
        with transaction.atomic():
            SearchedBlock.objects.create(search=search, name=unit.name, found=len(pairs))
            lock_clusters(search.project_id)
            touched: set[int] = set()
            for start in range(0, len(pairs), WRITTEN_AT_ONCE):
                touched |= _write_pairs(work, pairs[start : start + WRITTEN_AT_ONCE])
            measure_clusters(touched)
    except IntegrityError:
        if not search.blocks.filter(name=unit.name).exists():
            raise


def summary(search: DuplicateSearch) -> dict[str, Any]:
    """Counts of the pairs that this search found or found again and that nobody has decided."""
    rows = DuplicatePair.objects.filter(search=search, state=PairState.OPEN)
    kinds = dict(rows.values_list("kind").annotate(n=Count("pk")).order_by("kind"))
    return {
        "items": Item.objects.filter(
            project=search.project_id, pk__lte=search.job.params["last_item"]
        )
        .active()
        .count(),
        "found": sum(kinds.values()),
        **{str(kind): kinds.get(str(kind), 0) for kind in reversed(STRENGTH)},
        "different_key": rows.filter(has_same_key=False).count(),
    }


def _write_pairs(work: SideWork, pairs: Sequence[Pair]) -> set[int]:
    """Insert or update the rows of these pairs; return the clusters that this changes."""
    search, known = work.search, _known_rows(pairs)
    taken = [
        pair
        for pair in pairs
        if (old := known.get((pair.a, pair.b))) is None
        or (old.state == PairState.OPEN and _takes_over(search, pair, old))
    ]
    fresh: list[DuplicatePair] = []
    same: list[int] = []
    changed: set[int] = set()
    for row in work.rows(taken):
        old = known.get((row.a_id, row.b_id))
        if old is None:
            fresh.append(row)
        elif _says(row) == _says(old):
            same.append(old.pk)
        else:
            _open_rows([old.pk]).update(search=search, **_says(row))
            changed.add(old.cluster_id or 0)
    joined = join_items(search.project_id, [(row.a_id, row.b_id) for row in fresh])
    for row, cluster in zip(fresh, joined, strict=True):
        row.cluster_id = cluster
    DuplicatePair.objects.bulk_create(fresh)
    _open_rows(same).update(search=search)
    return changed | set(joined)


def _known_rows(pairs: Sequence[Pair]) -> dict[tuple[int, int], DuplicatePair]:
    """Return what is stored of these items on this side; the pairs of a unit are of one side."""
    ids = {pair.a for pair in pairs}
    known = DuplicatePair.objects.filter(a__in=ids, side=pairs[0].side)
    return {(row.a_id, row.b_id): row for row in known}


def _open_rows(ids: Sequence[int]) -> QuerySet[DuplicatePair]:
    return DuplicatePair.objects.filter(pk__in=ids, state=PairState.OPEN)


def _says(row: DuplicatePair) -> dict[str, Any]:
    """Return what a search finds out about a pair."""
    names = ("kind", "similarity", "has_same_key", "crosses_splits")
    return {name: getattr(row, name) for name in names}


def _takes_over(search: DuplicateSearch, pair: Pair, old: DuplicatePair) -> bool:
    """Return whether the finding is stronger, or the old one is from an earlier search by these methods.

    An older finding of a method that this search does not use stands until it is outdone.
    """
    if old.search_id < search.pk and old.kind in search.methods:
        return True
    return (STRENGTH[pair.kind], pair.similarity) >= (STRENGTH[old.kind], old.similarity)  # type: ignore[index]


def _close(search: DuplicateSearch) -> None:
    """Take away open pairs that an earlier search found by these methods and this one did not.

    Their texts have changed. Pairs of excluded items wait for the item's return.
    """
    with transaction.atomic():
        lock_clusters(search.project_id)
        gone = DuplicatePair.objects.filter(
            project=search.project_id,
            state=PairState.OPEN,
            kind__in=search.methods,
            search__lt=search.pk,
            a__state=ItemState.ACTIVE,
            b__state=ItemState.ACTIVE,
        )
        SearchedBlock.objects.get_or_create(
            search=search, name=OUTDATED, defaults={"found": gone.count()}
        )
        left = set(gone.values_list("cluster", flat=True))
        gone.delete()
        regroup_clusters(left)
