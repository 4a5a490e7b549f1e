"""Questions about duplicate pairs: which, in what order, and which belong together."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.enums import ItemState, PairState, TextSide
from annotation.models import DuplicateCluster, DuplicatePair, DuplicateSearch, Item
from common.pagination import KeysetPage, keyset_page
from projects.models import Project

# Most urgent first: another key, then dev against test, then the similarity.
LOUDEST = ("has_same_key", "-crosses_splits", "-similarity", "pk")
CLUSTERS_A_PAGE = 10
PAIRS_A_PAGE = 10
PAIRS_SHOWN = 3
FEW = 1000
CARD_FIELDS = (
    "uid",
    "split",
    "question",
    "options",
    "key",
    "kind",
    "metadata",
    "state",
    "subject__name",
    "working_translation__current_revision__question",
    "working_translation__current_revision__options",
)
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
    """A choice of pairs; empty means all."""

    state: str = PairState.OPEN
    kind: str = ""
    side: str = ""
    key: Literal["", "same", "different"] = ""
    splits: Literal["", "across", "within"] = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The loudest wanted pairs of a cluster, and the counts of all its pairs that are to decide.

    Two items have one tuple, which holds the pair of each side that was found.
    """

    items: int
    total: int
    pairs: tuple[tuple[DuplicatePair, ...], ...]
    has_more: bool


def pairs_of(project: Project, wanted: PairFilter) -> QuerySet[DuplicatePair]:
    """Return the project's pairs; an open one counts only while both of its items are active."""
    return _matching(wanted).filter(project=project)


def _matching(wanted: PairFilter) -> QuerySet[DuplicatePair]:
    """Return the pairs of any project: where the cluster is known, the project's index only misleads."""
    rows = DuplicatePair.objects.all()
    simple = {"state": wanted.state, "kind": wanted.kind, "side": wanted.side}
    rows = rows.filter(**{name: value for name, value in simple.items() if value})
    if wanted.key:
        rows = rows.filter(has_same_key=wanted.key == "same")
    if wanted.splits:
        rows = rows.filter(crosses_splits=wanted.splits == "across")
    active = Q(a__state=ItemState.ACTIVE, b__state=ItemState.ACTIVE)
    return rows.filter(~Q(state=PairState.OPEN) | active)


def with_items(rows: QuerySet[DuplicatePair]) -> QuerySet[DuplicatePair]:
    """Load all that a line or a card of a pair names."""
    return rows.select_related(
        "project",
        "a__subject",
        "a__working_translation__current_revision",
        "b__subject",
        "b__working_translation__current_revision",
        "dropped",
        "decided_by",
    )


def pairs_to_decide() -> QuerySet[DuplicatePair]:
    """Open pairs of two active items, of any project."""
    return DuplicatePair.objects.filter(
        state=PairState.OPEN, a__state=ItemState.ACTIVE, b__state=ItemState.ACTIVE
    )


def open_pair_counts(projects: Collection[Project]) -> dict[int, int]:
    """Return how many pairs of items wait for a decision, by the id of each project that has any."""
    pairs = pairs_to_decide().filter(project__in=projects)
    once = pairs.filter(Q(side=TextSide.SOURCE) | ~has_source_twin(pairs_to_decide()))
    return dict(once.values_list("project").annotate(n=Count("pk")).order_by())


def has_source_twin(among: QuerySet[DuplicatePair]) -> Exists:
    """Return whether `among` also has the pair of the same two items on the source side."""
    twins = among.filter(a=OuterRef("a"), b=OuterRef("b"), side=TextSide.SOURCE)
    return Exists(twins.exclude(pk=OuterRef("pk")))


def pair_page(project: Project, wanted: PairFilter, *, cursor: str | None) -> KeysetPage:
    """Return one page of `Cluster`s, by a query for each and a few more, however many pairs there are.

    Pairs that wait for a decision stand together by cluster, the most urgent cluster first. Others
    are listed one by one, loudest first.
    """
    if wanted.state == PairState.OPEN:
        return _page_by_cluster(project, wanted, cursor)
    return _page_by_pair(project, wanted, cursor)


def twins_of(pair: DuplicatePair) -> tuple[DuplicatePair, ...]:
    """Return the pairs of the same two items, this one first."""
    rows = with_items(DuplicatePair.objects.filter(a=pair.a_id, b=pair.b_id))
    return tuple(sorted(rows, key=lambda row: (row.pk != pair.pk, row.pk)))


def open_pairs_with(item: Item, *, besides: DuplicatePair) -> list[DuplicatePair]:
    """Open pairs in which `item` stands, other than `besides`, as many as a page shows."""
    rows = DuplicatePair.objects.filter(project=item.project_id, state=PairState.OPEN)
    rows = rows.filter(Q(a=item.pk) | Q(b=item.pk)).exclude(pk=besides.pk)
    return list(with_items(rows).order_by("pk")[: CLUSTERS_A_PAGE * PAIRS_SHOWN])


def clusters_of(project: Project) -> dict[int, int]:
    """Map each item that has a duplicate to its cluster, by primary keys.

    Open pairs and confirmed duplicates of any kind, on either side, join items; pairs of different
    items don't. Items without duplicates are left out.
    """
    rows = DuplicatePair.objects.filter(project=project, cluster__isnull=False)
    return {
        **dict(rows.values_list("a", "cluster").distinct()),
        **dict(rows.values_list("b", "cluster").distinct()),
    }


def cross_split_pairs(project: Project) -> QuerySet[DuplicatePair]:
    """Open pairs with one active item in dev and the other in test: leaks until decided."""
    return pairs_of(project, PairFilter(splits="across"))


def searches_of(project: Project) -> QuerySet[DuplicateSearch]:
    """Return the project's searches, newest first."""
    rows = DuplicateSearch.objects.filter(project=project)
    return rows.select_related("job", "project").order_by("-pk")


def pair_lines(rows: QuerySet[DuplicatePair]) -> Iterator[dict[str, Any]]:
    """Yield one flat line a pair, for files and programs, in the order of `rows`."""
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


def _page_by_cluster(project: Project, wanted: PairFilter, cursor: str | None) -> KeysetPage:
    rows = DuplicateCluster.objects.filter(project=project, is_open=True)
    pairs = _matching(wanted)
    if wanted != PairFilter():
        rows = _with_a_pair(rows, pairs.filter(project=project))
    page = keyset_page(rows, order=LOUDEST, cursor=cursor, size=CLUSTERS_A_PAGE)
    clusters = [_cluster(row, _loudest_pairs(pairs, row.pk)) for row in page.rows]
    _load_items(project, [pair for cluster in clusters for twin in cluster.pairs for pair in twin])
    return KeysetPage(clusters, page.next_cursor, page.previous_cursor)


def _with_a_pair(
    rows: QuerySet[DuplicateCluster], pairs: QuerySet[DuplicatePair]
) -> QuerySet[DuplicateCluster]:
    """Clusters with one of `pairs`: by id where these are few, else in order until the page is full."""
    found = list(pairs.order_by().values_list("cluster", flat=True)[: FEW + 1])
    if len(found) <= FEW:
        return rows.filter(pk__in=set(found))
    return rows.filter(Exists(pairs.filter(cluster=OuterRef("pk"))))


def _loudest_pairs(
    pairs: QuerySet[DuplicatePair], cluster_id: int
) -> list[tuple[DuplicatePair, ...]]:
    """Return the loudest pairs of a cluster without their items, one more than are shown.

    A query for each cluster reads as many rows as are shown, from an index; one for all of them
    would number every pair of the largest cluster.
    """
    rows = pairs.filter(cluster=cluster_id).order_by(*LOUDEST)
    return _twins(list(rows[: 2 * PAIRS_SHOWN + 1]))


def _load_items(project: Project, pairs: Sequence[DuplicatePair]) -> None:
    """Give each pair its items, each of which is read once however many pairs it stands in."""
    ids = {pk for pair in pairs for pk in (pair.a_id, pair.b_id)}
    items = (
        Item.objects.select_related("subject", "working_translation__current_revision")
        .only(*CARD_FIELDS)
        .in_bulk(ids)
    )
    for pair in pairs:
        pair.project = project
        pair.a, pair.b = items[pair.a_id], items[pair.b_id]


def _cluster(cluster: DuplicateCluster, twins: list[tuple[DuplicatePair, ...]]) -> Cluster:
    return Cluster(
        items=cluster.item_count,
        total=cluster.pair_count,
        pairs=tuple(twins[:PAIRS_SHOWN]),
        has_more=len(twins) > PAIRS_SHOWN,
    )


def _page_by_pair(project: Project, wanted: PairFilter, cursor: str | None) -> KeysetPage:
    pairs = pairs_of(project, wanted)
    rows = with_items(pairs.filter(~has_source_twin(pairs)))
    page = keyset_page(rows, order=("-state", *LOUDEST), cursor=cursor, size=PAIRS_A_PAGE)
    twins = _with_twins(pairs, page.rows)
    shown = [Cluster(items=2, total=1, pairs=(pair,), has_more=False) for pair in twins]
    return KeysetPage(shown, page.next_cursor, page.previous_cursor)


def _with_twins(
    pairs: QuerySet[DuplicatePair], rows: Sequence[DuplicatePair]
) -> list[tuple[DuplicatePair, ...]]:
    """Return each row with its twin on the other side, if that is wanted too."""
    second = pairs.filter(has_source_twin(pairs), a__in=[row.a_id for row in rows])
    twin_of = {(row.a_id, row.b_id): row for row in second}
    twins = [(row, twin_of.get((row.a_id, row.b_id))) for row in rows]
    return [(row, twin) if twin else (row,) for row, twin in twins]


def _twins(rows: list[DuplicatePair]) -> list[tuple[DuplicatePair, ...]]:
    """Return pairs of the same two items together, in the order of the louder one."""
    twins: defaultdict[tuple[int, int], list[DuplicatePair]] = defaultdict(list)
    for row in rows:
        twins[row.a_id, row.b_id].append(row)
    return [tuple(pair) for pair in twins.values()]
