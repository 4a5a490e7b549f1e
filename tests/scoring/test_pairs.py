"""Paired statistics against worked examples, brute force, statsmodels and simulation."""

import itertools
import math

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from common.intervals import wilson_interval
from scoring.pairs import (
    Floats,
    Ints,
    difference_interval,
    holm,
    independent_difference,
    mcnemar,
    mean_of_items,
    paired_comparison,
    sensitivity,
    share_interval,
)

SIMULATIONS = 1_000
"""The standard error of a coverage of 95 % is 0.7 per cent."""


def test_mean_of_items_without_groups_has_the_standard_error_of_the_mean() -> None:
    values = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    found = mean_of_items(values)
    assert (found.n, found.groups, found.value) == (5, 5, 0.6)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(5))


def test_mean_of_items_with_groups_is_the_clustered_formula_worked_by_hand() -> None:
    # mean 4/6; sums of deviations: 3 − 2 = 1 and 1 − 2 = −1 → √(2/1 · 2) / 6 = 1/3
    found = mean_of_items(np.array([1.0, 1, 1, 1, 0, 0]), np.array([7, 7, 7, 9, 9, 9]))
    assert found.groups == 2
    assert found.standard_error == pytest.approx(1 / 3)


def test_groups_of_one_item_each_change_nothing() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(40).round(), rng.random(40).round()
    assert paired_comparison(first, second, np.arange(40)) == paired_comparison(first, second)


def test_paired_comparison_of_a_published_table_gives_agresti_and_mins_interval() -> None:
    # The approval ratings of Agresti and Min 2005: 794 and 86, 150 and 570, of 1600.
    # n + 2 = 1602, cells 150.5 and 86.5: centre 64/1602 = .03995.
    first = np.repeat([1.0, 1.0, 0.0, 0.0], [794, 150, 86, 570])
    second = np.repeat([1.0, 0.0, 1.0, 0.0], [794, 150, 86, 570])
    found = paired_comparison(first, second)
    assert (found.n, found.wins, found.losses) == (1600, 150, 86)
    assert found.difference == pytest.approx(0.04)
    centre = 64 / 1602
    half = 1.96144 * math.sqrt((150.5 + 86.5) - 1602 * centre**2) / 1602 * math.sqrt(1600 / 1599)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(centre - half, abs=1e-5)
    assert found.interval.high == pytest.approx(centre + half, abs=1e-5)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (5, 1), (9, 9), (3, 12)])
def test_mcnemar_equals_the_sum_over_all_ways_to_split_the_items(wins: int, losses: int) -> None:
    n = wins + losses
    ways = [math.comb(n, k) for k in range(n + 1)]
    expected = sum(way for way in ways if way <= ways[wins]) / 2**n
    assert mcnemar(wins, losses) == pytest.approx(expected)


def test_holm_equals_statsmodels() -> None:
    rng = np.random.default_rng(3)
    for count in (1, 2, 5, 45):
        drawn = [*rng.random(count).round(2) ** 3, 0.0, 1.0]
        assert holm(drawn) == pytest.approx(list(multipletests(drawn, method="holm")[1]))


def test_equal_answers_have_an_interval_that_is_wider_than_0() -> None:
    found = difference_interval(np.zeros(10))
    assert found is not None
    assert found.low == pytest.approx(-found.high)
    assert 0.1 < found.high < 0.3


def test_items_of_a_single_group_have_no_interval() -> None:
    assert difference_interval(np.array([0.0, 1.0]), np.array([3, 3])) is None


def test_no_item_is_refused() -> None:
    with pytest.raises(ValueError, match="no item"):
        paired_comparison(np.array([]), np.array([]))
    with pytest.raises(ValueError, match="not the same items"):
        paired_comparison(np.zeros(2), np.zeros(3))


def test_sensitivity_of_additive_answers_is_all_explained() -> None:
    # Rows differ by .2, columns by .5, no remainder: σ²(prompt) = .02, σ²(item) = .125.
    found = sensitivity(np.array([[0.1, 0.6], [0.3, 0.8]]))
    assert found.mean == pytest.approx(0.45)
    assert found.range == pytest.approx(0.2)
    assert found.standard_deviation == pytest.approx(math.sqrt(0.02))
    assert found.variance_share == pytest.approx(0.02 / (0.02 + 0.125))
    assert found.changed == 1


def test_sensitivity_of_equal_answers_is_0() -> None:
    found = sensitivity(np.array([[1.0, 0.0, 1.0]] * 3))
    assert (found.range, found.variance_share, found.changed) == (0, 0, 0)


def test_intervals_cover_the_true_difference_in_95_of_100_simulations() -> None:
    """Few and many items, equal and different models, with and without passages."""
    rng = np.random.default_rng(7)
    found = {}
    for n, better, per_group in itertools.product((20, 200), (0.0, 0.15), (1, 5)):
        groups = np.arange(n) // per_group
        intervals = [
            difference_interval(_differences(rng, better, groups), groups)
            for _ in range(SIMULATIONS)
        ]
        covered = [one.low <= better <= one.high for one in intervals if one is not None]
        found[n, better, per_group] = sum(covered) / SIMULATIONS
    poor = {case: share for case, share in found.items() if not 0.935 <= share <= 0.99}
    assert not poor


def test_without_groups_intervals_of_passages_would_be_too_narrow() -> None:
    rng, n = np.random.default_rng(8), 200
    groups, covered = np.arange(n) // 5, 0
    for _ in range(500):
        interval = difference_interval(_differences(rng, 0.15, groups))
        covered += interval is not None and interval.low <= 0.15 <= interval.high
    assert covered / 500 < 0.92


def _differences(rng: np.random.Generator, better: float, groups: Ints) -> Floats:
    """Both models answer the items of a passage alike; how much better one is depends on it."""
    level = rng.uniform(0.3, 0.55, groups.max() + 1)[groups]
    swing = rng.choice([-0.3, 0.3], groups.max() + 1)[groups]
    first = rng.random(len(groups)) < level + better + swing
    second = rng.random(len(groups)) < level
    differences: Floats = first.astype(np.float64) - second.astype(np.float64)
    return differences


def test_share_interval_of_items_that_stand_alone_is_wilsons() -> None:
    values = np.array([1.0] * 7 + [0.0] * 3)
    assert share_interval(values) == wilson_interval(7, 10)
    assert share_interval(np.ones(10)) == wilson_interval(10, 10)


def test_items_of_a_passage_that_are_all_alike_count_as_one() -> None:
    values, groups = np.repeat([1.0, 0.0, 1.0, 1.0], 5), np.repeat([0, 1, 2, 3], 5)
    found = share_interval(values, groups)
    # p (1 − p) / V is 4 items; 3/4 of them for the variance, and (1.960 / 3.182)² for t.
    effective = 4 * 3 / 4 * (1.959964 / 3.182446) ** 2
    expected = wilson_interval(0.75 * effective, effective)
    assert found.low == pytest.approx(expected.low, abs=1e-6)
    assert found.high == pytest.approx(expected.high, abs=1e-6)


def test_equal_epochs_are_as_uncertain_as_one() -> None:
    values = np.array([1.0, 0.0, 1.0, 1.0])
    assert share_interval(values, epochs=10) == share_interval(values)


def test_share_intervals_of_passages_cover_95_of_100() -> None:
    rng, covered = np.random.default_rng(5), 0
    groups = np.arange(150) // 5
    for _ in range(SIMULATIONS):
        level = rng.beta(2, 2, 30)[groups]
        interval = share_interval((rng.random(150) < level).astype(np.float64), groups)
        covered += interval.low <= 0.5 <= interval.high
    assert 0.93 <= covered / SIMULATIONS <= 0.98


def test_independent_difference_equals_newcombes_published_example() -> None:
    # Newcombe 1998, table II, (a): 56/70 − 48/80, method 10: 0.0524 to 0.3339.
    first, second = np.repeat([1.0, 0.0], [56, 14]), np.repeat([1.0, 0.0], [48, 32])
    value, interval = independent_difference(first, second, (None, None))
    assert value == pytest.approx(0.2)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.0524, 0.3339)
