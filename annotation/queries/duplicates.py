"""Questions about duplicate pairs: which, in what order, and which belong together."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Q, QuerySet

from annotation.dedupe.clusters import clusters
from annotation.dedupe.pairs import Pair
from annotation.enums import ItemState, PairState
from annotation.models import DuplicatePair, DuplicateSearch, Item, Project
from common.pagination import KeysetPage, keyset_page

# Loudest first: another key, then dev against test, then the likeness.
LOUDEST = ("has_same_key", "-crosses_splits", "-similarity", "pk")
CLUSTERS_A_PAGE = 10
PAIRS_SHOWN = 15
PAIR_COLUMNS = (
    "a",
    "b",
    "kind",
    "similarity",
    "same_key",
    "side",
    "crosses_splits",
    "state",
    "dropped",
    "reason",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFilter:
    """Which pairs are wanted; empty means all."""

    state: str = PairState.OPEN
    kind: str = ""
    side: str = ""
    key: Literal["", "same", "different"] = ""
    splits: Literal["", "across", "within"] = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Items that wanted pairs join: the loudest pairs (one list per two items) and all there are.

    A list holds the pair of each side that was found, the louder one first.
    """

    items: int
    pairs: tuple[tuple[DuplicatePair, ...], ...]
    total: int

    @property
    def hidden(self) -> int:
        return self.total - len(self.pairs)


def pairs_of(project: Project, wanted: PairFilter) -> QuerySet[DuplicatePair]:
    """The project's pairs; an open one counts only while both of its items are active."""
    rows = DuplicatePair.objects.filter(project=project)
    simple = {"state": wanted.state, "kind": wanted.kind, "side": wanted.side}
    rows = rows.filter(**{name: value for name, value in simple.items() if value})
    if wanted.key:
        rows = rows.filter(has_same_key=wanted.key == "same")
    if wanted.splits:
        rows = rows.filter(crosses_splits=wanted.splits == "across")
    active = Q(a__state=ItemState.ACTIVE, b__state=ItemState.ACTIVE)
    return rows.filter(~Q(state=PairState.OPEN) | active)


def with_items(rows: QuerySet[DuplicatePair]) -> QuerySet[DuplicatePair]:
    """With all that a line or a card of a pair names."""
    return rows.select_related(
        "project",
        "a__subject",
        "a__working_translation__current_revision",
        "b__subject",
        "b__working_translation__current_revision",
        "dropped",
        "decided_by",
    )


def cluster_page(project: Project, wanted: PairFilter, *, cursor: str | None) -> KeysetPage:
    """One page of `Cluster`s, by their loudest pair; three queries however many pairs there are.

    Clusters are made of the ids of all wanted pairs, texts are read for those on the page only.
    """
    found = _joined_pairs(project, wanted)
    leaders = DuplicatePair.objects.filter(pk__in=[pks[0] for pks, _items in found])
    page = keyset_page(leaders, order=LOUDEST, cursor=cursor, size=CLUSTERS_A_PAGE)
    shown = {pks[0]: (pks, items) for pks, items in found}
    on_page = [shown[leader.pk] for leader in page.rows]
    return KeysetPage(_read(on_page), page.next_cursor, page.previous_cursor)


def twins_of(pair: DuplicatePair) -> tuple[DuplicatePair, ...]:
    """The pairs of the same two items, this one first."""
    rows = with_items(DuplicatePair.objects.filter(a=pair.a_id, b=pair.b_id))
    return tuple(sorted(rows, key=lambda row: (row.pk != pair.pk, row.pk)))


def open_pairs_with(item: Item, *, besides: DuplicatePair) -> list[DuplicatePair]:
    """Open pairs in which `item` stands, other than `besides`, as many as a page shows."""
    rows = DuplicatePair.objects.filter(project=item.project_id, state=PairState.OPEN)
    rows = rows.filter(Q(a=item.pk) | Q(b=item.pk)).exclude(pk=besides.pk)
    return list(with_items(rows).order_by("pk")[: CLUSTERS_A_PAGE * PAIRS_SHOWN])


def searches_of(project: Project) -> QuerySet[DuplicateSearch]:
    """The project's searches, newest first."""
    rows = DuplicateSearch.objects.filter(project=project)
    return rows.select_related("job", "project").order_by("-pk")


def pair_lines(rows: QuerySet[DuplicatePair]) -> Iterator[dict[str, Any]]:
    """One flat line a pair, for files and programs, in the order of `rows`."""
    plain = rows.values_list(
        "a__uid",
        "b__uid",
        "kind",
        "similarity",
        "has_same_key",
        "side",
        "crosses_splits",
        "state",
        "dropped__uid",
        "reason",
    )
    for row in plain.iterator(chunk_size=2000):
        line = dict(zip(PAIR_COLUMNS, row, strict=True))
        line["dropped"] = line["dropped"] or ""
        yield line


def _joined_pairs(project: Project, wanted: PairFilter) -> list[tuple[list[int], int]]:
    """Of each cluster the ids of its pairs, loudest first, and its number of items."""
    rows: list[tuple[Any, ...]] = list(
        pairs_of(project, wanted)
        .order_by(*LOUDEST)
        .values_list("pk", "a_id", "b_id", "kind", "similarity", "side")
    )
    cluster_of = {
        item: number
        for number, items in enumerate(clusters(Pair(*row[1:]) for row in rows))
        for item in items
    }
    sizes: defaultdict[int, set[int]] = defaultdict(set)
    pairs: defaultdict[int, list[int]] = defaultdict(list)
    for pk, a, b, *_rest in rows:
        pairs[cluster_of[a]].append(pk)
        sizes[cluster_of[a]] |= {a, b}
    return [(pks, len(sizes[number])) for number, pks in pairs.items()]


def _read(found: list[tuple[list[int], int]]) -> list[Cluster]:
    wanted = [pk for pks, _items in found for pk in pks[: 2 * PAIRS_SHOWN]]
    rows = with_items(DuplicatePair.objects.filter(pk__in=wanted)).in_bulk()
    return [_cluster([rows[pk] for pk in pks if pk in rows], pks, items) for pks, items in found]


def _cluster(rows: list[DuplicatePair], pks: list[int], items: int) -> Cluster:
    twins: defaultdict[tuple[int, int], list[DuplicatePair]] = defaultdict(list)
    for row in rows:
        twins[row.a_id, row.b_id].append(row)
    shown = tuple(tuple(pair) for pair in list(twins.values())[:PAIRS_SHOWN])
    hidden_rows = len(pks) - len(rows)
    return Cluster(items, shown, len(twins) + hidden_rows)
