"""Groups of items that pairs join, directly or through others."""

from collections import defaultdict
from collections.abc import Iterable


def components(edges: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Group the ids that edges join; each group is sorted, and groups by their first id.

    The result depends on the set of edges only, not on their order.
    """
    parent: dict[int, int] = {}
    for a, b in edges:
        one, other = _root(parent, a), _root(parent, b)
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
