"""Ranges of ranks: what the noise allows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.ranking import Measured, rank_ranges


def test_clear_differences_have_one_rank() -> None:
    assert rank_ranges([Measured(0.9, 1000), Measured(0.5, 1000), Measured(0.1, 1000)]) == [
        (1, 1), (2, 2), (3, 3),
    ]  # fmt: skip


def test_differences_within_noise_share_their_ranks() -> None:
    found = rank_ranges([Measured(0.52, 100), Measured(0.50, 100), Measured(0.1, 100)])
    assert found == [(1, 2), (1, 2), (3, 3)]


def test_nobody_has_no_rank() -> None:
    assert rank_ranges([]) == []


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(50, 500)), min_size=1, max_size=12))
def test_ranges_hold_the_place_by_share_and_do_not_depend_on_the_order(
    pairs: list[tuple[int, int]],
) -> None:
    entries = sorted((Measured(right / n, n) for right, n in pairs), key=lambda each: -each.share)
    found = rank_ranges(entries)
    assert all(low <= place <= high for place, (low, high) in enumerate(found, 1))
    assert rank_ranges(entries[::-1]) == found[::-1]
    for entry, ranks in zip(entries, found, strict=True):
        assert {ranks} == {r for e, r in zip(entries, found, strict=True) if e == entry}


@pytest.mark.parametrize("n", [50, 400])
def test_ranges_cover_the_true_ranks_of_simulated_models(n: int) -> None:
    rng = np.random.default_rng(1)
    truths = [0.8, 0.74, 0.7, 0.5, 0.3]
    covered = []
    for _ in range(300):
        entries = [Measured(rng.binomial(n, p) / n, n) for p in truths]
        ranges = rank_ranges(entries)
        covered += [low <= rank <= high for rank, (low, high) in enumerate(ranges, 1)]
    assert np.mean(covered) >= 0.95
