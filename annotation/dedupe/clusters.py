"""Clusters of items joined by pairs, directly or through others."""

from collections import defaultdict
from collections.abc import Iterable

from annotation.dedupe.pairs import Pair


def clusters(pairs: Iterable[Pair]) -> list[tuple[int, ...]]:
    """Group ids that pairs join; each cluster is sorted, clusters by their first id.

    The result depends on the set of pairs only, not on their order.
    """
    parent: dict[int, int] = {}
    for pair in pairs:
        one, other = _root(parent, pair.a), _root(parent, pair.b)
        parent[max(one, other)] = min(one, other)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for item in sorted(parent):
        members[_root(parent, item)].append(item)
    return [tuple(members[root]) for root in sorted(members)]


def _root(parent: dict[int, int], item: int) -> int:
    parent.setdefault(item, item)
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item
