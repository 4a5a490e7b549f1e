"""Pairs, their merging, and groups of the items that they join."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.duplicates.dedupe.clusters import components
from annotation.duplicates.dedupe.pairs import Pair, make_pair, merge_pairs


def _pair(a: int, b: int) -> Pair:
    return make_pair(a, b, kind="near", similarity=0.8, side="target")


def test_make_pair_orders_ids() -> None:
    assert _pair(9, 2) == Pair(2, 9, "near", 0.8, "target")


@pytest.mark.parametrize(("a", "b", "similarity"), [(2, 1, 0.5), (1, 1, 0.5), (1, 2, 1.1)])
def test_pair_that_cannot_be_is_refused(a: int, b: int, similarity: float) -> None:
    with pytest.raises(ValueError, match=r"pair not ordered|similarity outside"):
        Pair(a, b, "near", similarity, "source")


def test_merge_pairs_strongest_kind_then_greatest_similarity_wins() -> None:
    exact = Pair(1, 2, "exact", 1.0, "source")
    near = Pair(3, 4, "near", 0.7, "source")
    target = Pair(1, 2, "semantic", 0.9, "target")
    found = [
        target,
        Pair(1, 2, "semantic", 0.99, "source"),
        Pair(3, 4, "near", 0.6, "source"),
        near,
        exact,
        Pair(3, 4, "semantic", 0.95, "source"),
    ]
    assert merge_pairs(found) == [exact, target, near]
    assert merge_pairs(reversed(found)) == [exact, target, near]


def test_components_join_through_others() -> None:
    assert components([(7, 9), (1, 2), (2, 5)]) == [(1, 2, 5), (7, 9)]
    assert components([]) == []


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 60)), max_size=40), st.randoms())
def test_components_any_order_of_edges_is_the_same_partition(
    edges: list[tuple[int, int]], rng: random.Random
) -> None:
    found = components(edges)
    rng.shuffle(edges)
    assert components(edges) == found
    assert sorted(i for group in found for i in group) == sorted({i for e in edges for i in e})
    assert all(any(a in group and b in group for group in found) for a, b in edges)
