"""Intervals of a share, against scipy, their own rules and simulated truth."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from common.intervals import Interval, repeated_wilson_interval, wilson_interval

right_of_n = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None)
@given(right_of_n)
def test_wilson_interval_equals_scipy(counts: tuple[int, int]) -> None:
    successes, n = counts
    expected = stats.binomtest(successes, n).proportion_ci(0.95, "wilson")
    found = wilson_interval(successes, n)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wilson_interval_of_nothing_is_everything() -> None:
    assert wilson_interval(0, 0) == repeated_wilson_interval({}) == Interval(0.0, 1.0)


@settings(deadline=None)
@given(right_of_n, st.integers(1, 50))
def test_repeated_interval_of_identical_epochs_is_that_of_one(
    counts: tuple[int, int], epochs: int
) -> None:
    right, n = counts
    once = wilson_interval(right, n)
    found = repeated_wilson_interval({(epochs, epochs): right, (0, epochs): n - right})
    assert (found.low, found.high) == pytest.approx((once.low, once.high), abs=1e-9)


repeats = st.dictionaries(
    st.integers(1, 6).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))),
    st.integers(1, 30),
    min_size=1,
)


@settings(deadline=None)
@given(repeats)
def test_repeated_interval_holds_the_share_and_is_no_narrower_than_independent_answers(
    counts: dict[tuple[int, int], int],
) -> None:
    right = sum(r * items for (r, _m), items in counts.items())
    measured = sum(m * items for (_r, m), items in counts.items())
    found, narrowest = repeated_wilson_interval(counts), wilson_interval(right, measured)
    assert 0 <= found.low <= right / measured <= found.high <= 1
    assert found.low <= narrowest.low + 1e-12
    assert found.high >= narrowest.high - 1e-12


def test_repeated_interval_of_coins_approaches_that_of_all_their_throws() -> None:
    throws = {(r, 4): int(1000 * stats.binom.pmf(r, 4, 0.5)) for r in range(5)}
    found = repeated_wilson_interval(throws)
    n = sum(throws.values())
    assert found.high - found.low == pytest.approx(_width(2 * n, 4 * n), rel=0.01)
    assert found.high - found.low < 0.6 * _width(n // 2, n)


def test_repeated_interval_of_nothing_right_is_like_that_of_next_to_nothing_right() -> None:
    """One method for all rows: the row at 0 % is no wider than its neighbour, and hardly narrower."""
    none = repeated_wilson_interval({(0, 3): 10})
    little = repeated_wilson_interval({(1, 3): 1, (0, 3): 9})
    assert none == wilson_interval(0, 10)
    assert none.high == pytest.approx(0.278, abs=0.001)
    assert little.high == pytest.approx(0.286, abs=0.03)


@pytest.mark.parametrize("item_count", [5, 10, 100])
@pytest.mark.parametrize("epochs", [3, 10])
@pytest.mark.parametrize("shape", [(0.05, 0.2), (0.3, 0.3), (5.0, 5.0), (0.5, 9.5), (9.0, 1.0)])
def test_repeated_interval_covers_the_truth_about_as_often_as_it_says(
    item_count: int, epochs: int, shape: tuple[float, float]
) -> None:
    """Items differ by a beta distribution, epochs by chance; nominal 95 %, 500 simulated runs."""
    rng = np.random.default_rng(20261122)
    chances = rng.beta(*shape, size=(500, item_count))
    truth = shape[0] / sum(shape)
    covered = 0
    for row in rng.binomial(epochs, chances):
        found = repeated_wilson_interval(Counter((int(right), epochs) for right in row))
        covered += found.low <= truth <= found.high
    assert covered / 500 >= 0.9


def _width(right: int, n: int) -> float:
    found = wilson_interval(right, n)
    return found.high - found.low
