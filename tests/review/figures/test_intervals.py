"""Intervals of agreement against populations whose agreement is known, and their own rules."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.agreement import Case, Population, coefficients, coverage, distribution, true_value
from common.estimates import NoInterval
from review.figures.agreement import fleiss_kappa, gwet_ac1, krippendorff_alpha
from review.figures.intervals import Floats, Ints, agreement_interval, percentile_bootstrap

BLIND = Population(5, 3, 0.95, None)
HIGH = [
    Population(2, 2, None, 0.01),
    Population(2, 3, 0.8, 0.01),
    Population(3, 3, 0.8, 0.01),
    Population(5, 2, 0.8, 0.01),
]
STEPS = [Population(2, 6, 0.8, 0.01), Population(3, 6, None, 0.3)]


def kappa_of(counts: Ints, draws: Floats) -> Floats:
    """Fleiss kappa by its definition; NaN where all ratings are the same."""
    size = counts[0].sum()
    n = draws.sum(axis=1)
    observed = draws @ (counts * (counts - 1)).sum(axis=1) / (size * (size - 1) * n)
    expected = ((draws @ counts / (n * size)[:, np.newaxis]) ** 2).sum(axis=1)
    with np.errstate(invalid="ignore"):
        kappa: Floats = (observed - expected) / (1 - expected)
    return kappa


def percentile_coverage(population: Population, items: int, tables: int) -> float:
    """How often the plain percentile bootstrap of kappa holds the truth."""
    patterns, shares = distribution(population)
    truth = true_value(coefficients(population)["fleiss_kappa"], patterns, shares)
    generator = np.random.default_rng(2)
    given, covered = 0, 0
    for weights in generator.multinomial(items, shares, size=tables):
        if np.count_nonzero(weights @ patterns) < 2:
            continue
        draws = generator.multinomial(items, weights / items, size=200).astype(float)
        low, high = np.nanquantile(kappa_of(patterns, draws), [0.025, 0.975])
        given += 1
        covered += low <= truth <= high
    return covered / given


@pytest.mark.parametrize("population", HIGH)
def test_interval_of_kappa_holds_where_agreement_is_high_and_percentiles_do_not(
    population: Population,
) -> None:
    found = coverage(Case(population, 30, "fleiss_kappa"), 120, 1)

    assert found.covered >= 0.92 * found.given
    assert percentile_coverage(population, 30, 120) < 0.8


@pytest.mark.parametrize("items", [10, 100])
@pytest.mark.parametrize(
    ("population", "coefficient"),
    [
        *((each, "gwet_ac1") for each in HIGH),
        *((each, "alpha_ordinal") for each in STEPS),
        (HIGH[2], "alpha_nominal"),
        (BLIND, "fleiss_kappa"),
        (Population(3, 3, None, None), "gwet_ac1"),
    ],
)
def test_intervals_of_agreement_hold_the_truth(
    population: Population, coefficient: str, items: int
) -> None:
    found = coverage(Case(population, items, coefficient), 100, 1)

    assert found.given >= 30
    assert found.covered >= 0.9 * found.given


def test_interval_of_thirty_items_on_which_all_agree_leaves_room() -> None:
    for estimate in (
        fleiss_kappa([[2, 0], [0, 2]], [15, 15], panel_size=2),
        krippendorff_alpha([[2, 0], [0, 2]], [15, 15]),
        krippendorff_alpha([[2, 0], [0, 2]], [15, 15], level="ordinal"),
        gwet_ac1([[2, 0], [0, 2]], [15, 15]),
    ):
        # No slip in 30 items: by Clopper and Pearson, up to 11.6 % of items may have one.
        assert estimate.value == estimate.high == 1.0
        assert estimate.low == pytest.approx(1 - 2 * 0.116, abs=0.03)


def test_interval_gets_narrower_with_more_agreeing_items() -> None:
    lows = [
        fleiss_kappa([[2, 0], [0, 2]], [n, n], panel_size=2).low or 0 for n in (5, 50, 500, 5000)
    ]

    assert lows == sorted(lows)
    assert lows[-1] > 0.999


@pytest.mark.parametrize("other", [[0, 2], [1, 1]])
def test_agreement_that_rests_on_one_item_has_a_value_but_no_interval(other: list[int]) -> None:
    counts = [[2, 0], other]
    for weights, reason in (([99, 1], NoInterval.TOO_LITTLE_DISAGREEMENT), ([98, 2], None)):
        for estimate in (
            fleiss_kappa(counts, weights, panel_size=2),
            krippendorff_alpha(counts, weights),
            krippendorff_alpha(counts, weights, level="ordinal"),
        ):
            assert estimate.value is not None
            assert estimate.no_interval is reason
            assert (estimate.low is None, estimate.high is None) == (reason is not None,) * 2
        assert gwet_ac1(counts, weights).low is not None


tables = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 2), min_size=size, max_size=size), min_size=2, max_size=12
    )
)


@given(tables)
@settings(max_examples=60, deadline=None)
def test_interval_holds_the_estimate_and_stays_within_its_bounds(items: list[list[int]]) -> None:
    counts = np.array([np.bincount(item, minlength=3) for item in items])
    assume(np.count_nonzero(counts.sum(axis=0)) > 1)
    weights = np.ones(len(counts), dtype=np.int64)

    for estimate in (
        fleiss_kappa(counts, weights, panel_size=len(items[0]), resamples=50),
        krippendorff_alpha(counts, weights, level="ordinal", resamples=50),
        gwet_ac1(counts, weights, resamples=50),
    ):
        assert estimate.value is not None
        if estimate.low is not None:
            assert estimate.high is not None
            assert estimate.low <= estimate.value <= estimate.high <= 1


def test_interval_of_unequal_panels_counts_items_with_one_rating_for_ac1() -> None:
    estimate = gwet_ac1([[2, 0], [0, 3], [1, 0], [1, 1]], [20, 9, 5, 1])

    assert estimate.low is not None
    assert estimate.high is not None
    assert 0.6 < estimate.low < (estimate.value or 0) < estimate.high < 1


def test_interval_of_hundreds_of_categories_takes_only_the_most_frequent_ones_along() -> None:
    counts = np.repeat(2 * np.eye(400, dtype=np.int64), 2, axis=0)
    shapes = []

    def share(rows: Ints, draws: Floats) -> Floats:
        shapes.append(rows.shape)
        return np.ones(len(draws))

    weights = np.ones(len(counts), dtype=np.int64)
    agreement_interval(counts, weights, share, value=1.0, resamples=10, seed=0)

    assert shapes == [(800, 400), (856, 400), (801, 400), (808, 400)]


def test_draws_work_in_blocks_with_bounded_memory() -> None:
    rows, weights = np.arange(3000)[:, np.newaxis], np.ones(3000, dtype=np.int64)
    sizes = []

    def mean(values: Ints, draws: Floats) -> Floats:
        sizes.append(len(draws))
        means: Floats = (draws @ values)[:, 0] / draws.sum(axis=1)
        return means

    low, high = percentile_bootstrap(rows, weights, mean, resamples=1000, seed=3)

    assert sizes == [666, 334]
    assert low is not None
    assert high is not None
    error = np.sqrt(3000**2 / 12 / 3000)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_interval_without_draws_is_none() -> None:
    rows, weights = np.array([[2, 0], [0, 2]]), np.array([5, 5])

    assert percentile_bootstrap(rows, weights, kappa_of, resamples=0, seed=0) == (None, None)
    none = agreement_interval(rows, weights, kappa_of, value=1.0, resamples=0, seed=0)
    assert none == (None, None)
