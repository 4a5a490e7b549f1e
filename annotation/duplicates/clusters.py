"""Keeps the clusters of duplicates in step with the pairs that join their items.

An open pair or a confirmed duplicate joins two items; a pair of different items doesn't. Items
joined directly or through others are one cluster. Every function here runs inside the transaction
of the action that changes the pairs, after `lock_clusters`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Case, Count, F, Max, Q, QuerySet, Value, When

from annotation.duplicates.dedupe.clusters import components
from annotation.duplicates.queries import has_source_twin, pairs_to_decide
from annotation.models import DuplicateCluster, DuplicatePair, Item
from projects.locks import lock_project

Edge = tuple[int, int]
AT_ONCE = 400
MEASURES = ("is_open", "has_same_key", "crosses_splits", "similarity", "item_count", "pair_count")


def lock_clusters(project_id: int) -> None:
    """Let one transaction at a time change the project's clusters.

    Two merges at once could each move the pairs of a cluster that the other one removes. Taken
    before the items are locked, always in this order, so that two people never wait for each
    other. (SQLite has one writer anyway.)
    """
    lock_project(project_id)


def join_items(project_id: int, edges: Sequence[Edge]) -> list[int]:
    """Put both items of each edge into one cluster and return its id, edge by edge.

    Merges clusters that an edge connects: the oldest one stays. The caller writes the pairs with
    these ids and then calls `measure_clusters`.
    """
    known = _clusters_of_items({item for edge in edges for item in edge})
    # A cluster is one node, named by its negative id; an item without one stands for itself.
    nodes = [(_node(known, a), _node(known, b)) for a, b in edges]
    groups = components(nodes)
    stays = dict(zip(groups, _survivors(project_id, groups), strict=True))
    _merge({-node: to for group, to in stays.items() for node in group if node < 0 and -node != to})
    cluster_of = {node: to for group, to in stays.items() for node in group}
    return [cluster_of[node] for node, _other in nodes]


def regroup_clusters(cluster_ids: Iterable[int]) -> None:
    """Split clusters that pairs have left wherever nothing joins their items any more."""
    ids = set(cluster_ids)
    pairs: defaultdict[int, list[DuplicatePair]] = defaultdict(list)
    rows = DuplicatePair.objects.filter(cluster__in=ids).only("pk", "project", "a", "b", "cluster")
    for row in rows.order_by("pk"):
        pairs[row.cluster_id or 0].append(row)
    moved = [row for rows in pairs.values() for part in _parts_to_move(rows) for row in part]
    DuplicatePair.objects.bulk_update(moved, ["cluster"], batch_size=AT_ONCE)
    measure_clusters(ids | {row.cluster_id or 0 for row in moved})


def measure_clusters(cluster_ids: Iterable[int]) -> None:
    """Store how urgent and how large clusters are, by their pairs to decide; remove empty ones."""
    ids = sorted(set(cluster_ids))
    for start in range(0, len(ids), AT_ONCE):
        _measure(ids[start : start + AT_ONCE])


def measure_clusters_of(item: Item) -> None:
    """Measure the item's cluster again: its pairs wait while it is excluded."""
    measure_clusters(_clusters_of_items({item.pk}).values())


def measure_clusters_of_items(items: Iterable[int]) -> None:
    """Measure the clusters of several items again, some hundreds at a time."""
    measure_clusters(_clusters_of_items(set(items)).values())


def _clusters_of_items(items: set[int]) -> dict[int, int]:
    """Return the cluster of each item; it is in one at most, whichever of its pairs says so."""
    rows = DuplicatePair.objects.filter(cluster__isnull=False)
    return {
        **dict(rows.filter(a__in=items).values_list("a", "cluster").distinct()),
        **dict(rows.filter(b__in=items).values_list("b", "cluster").distinct()),
    }


def _node(known: dict[int, int], item: int) -> int:
    return -known[item] if item in known else item


def _survivors(project_id: int, groups: Sequence[tuple[int, ...]]) -> Iterator[int]:
    """Yield the cluster that each group of nodes becomes: its oldest one, or a new one."""
    oldest = [min((-node for node in group if node < 0), default=None) for group in groups]
    new = iter(_new_clusters(project_id, oldest.count(None)))
    for cluster in oldest:
        yield next(new) if cluster is None else cluster


def _new_clusters(project_id: int, count: int) -> list[int]:
    rows = (DuplicateCluster(project_id=project_id) for _ in range(count))
    return [cluster.pk for cluster in DuplicateCluster.objects.bulk_create(rows)]


def _merge(absorbed: dict[int, int]) -> None:
    """Move the pairs of each cluster to the one it is merged into, and remove it."""
    gone = sorted(absorbed)
    for start in range(0, len(gone), AT_ONCE):
        some = gone[start : start + AT_ONCE]
        new = Case(*(When(cluster=old, then=Value(absorbed[old])) for old in some))
        DuplicatePair.objects.filter(cluster__in=some).update(cluster=new)
        DuplicateCluster.objects.filter(pk__in=some).delete()


def _parts_to_move(rows: Sequence[DuplicatePair]) -> list[list[DuplicatePair]]:
    """Return the pairs of one cluster that need a new one, with its id; the largest part stays."""
    parts = components((row.a_id, row.b_id) for row in rows)
    part_of = {item: n for n, part in enumerate(parts) for item in part}
    split: defaultdict[int, list[DuplicatePair]] = defaultdict(list)
    for row in rows:
        split[part_of[row.a_id]].append(row)
    _stays, *others = sorted(split.values(), key=len, reverse=True)
    for pk, part in zip(_new_clusters(rows[0].project_id, len(others)), others, strict=True):
        for row in part:
            row.cluster_id = pk
    return others


def _measure(ids: Sequence[int]) -> None:
    there = set(DuplicatePair.objects.filter(cluster__in=ids).values_list("cluster", flat=True))
    DuplicateCluster.objects.filter(pk__in=set(ids) - there).delete()
    rows = {row.pk: row for row in DuplicateCluster.objects.filter(pk__in=there)}
    to_decide = pairs_to_decide().filter(cluster__in=there)
    items = _item_counts(to_decide)
    for row in rows.values():
        _set(row, is_open=False, other_key=0, across=0, similarity=0.0, items=0, pairs=0)
    for pk, other_key, across, similarity, pairs in _urgency(to_decide):
        _set(
            rows[pk],
            is_open=True,
            other_key=other_key,
            across=across,
            similarity=similarity,
            items=items[pk],
            pairs=pairs,
        )
    # One statement for all of them: an insert that finds every row there and updates it.
    DuplicateCluster.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["pk"], update_fields=MEASURES
    )


def _urgency(to_decide: QuerySet[DuplicatePair]) -> Iterable[tuple[int, int, int, float, int]]:
    """Measure clusters: pairs with different keys, pairs across splits, most alike, pairs of two items."""
    return (
        to_decide.values("cluster")
        .annotate(
            other_key=Count("pk", filter=Q(has_same_key=False)),
            across=Count("pk", filter=Q(crosses_splits=True)),
            most=Max("similarity"),
            pairs=Count("pk", filter=~has_source_twin(pairs_to_decide())),
        )
        .values_list("cluster", "other_key", "across", "most", "pairs")
        .order_by("cluster")
    )


def _item_counts(to_decide: QuerySet[DuplicatePair]) -> Counter[int]:
    ends = [to_decide.values_list("cluster", F(end)) for end in ("a", "b")]
    return Counter(cluster for cluster, _item in ends[0].union(ends[1]))


def _set(
    row: DuplicateCluster,
    *,
    is_open: bool,
    other_key: int,
    across: int,
    similarity: float,
    items: int,
    pairs: int,
) -> None:
    row.is_open = is_open
    row.has_same_key = not other_key
    row.crosses_splits = bool(across)
    row.similarity = similarity
    row.item_count, row.pair_count = items, pairs
