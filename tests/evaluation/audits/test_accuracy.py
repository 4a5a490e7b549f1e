"""The accuracy of a scorer from a sample with strata."""

import random

import pytest

from common.intervals import wilson_interval
from evaluation.audits.accuracy import StratumCount, stratified_accuracy


def test_one_stratum_is_wilsons_interval() -> None:
    found = stratified_accuracy([StratumCount(5000, 100, 90), StratumCount(0, 0, 0)])
    assert found is not None
    assert found.share == pytest.approx(0.9)
    expected = wilson_interval(90, 100)
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


def test_strata_weigh_as_much_as_they_have_responses() -> None:
    found = stratified_accuracy([StratumCount(900, 50, 50), StratumCount(100, 50, 25)])
    assert found is not None
    assert found.share == pytest.approx(0.9 * 1 + 0.1 * 0.5)
    assert 0.88 < found.interval.low < 0.95 < found.interval.high < 0.99


def test_unknown_while_a_stratum_is_unread() -> None:
    assert stratified_accuracy([StratumCount(900, 50, 50), StratumCount(100, 0, 0)]) is None
    assert stratified_accuracy([]) is None


def test_interval_covers_the_truth_in_at_least_93_of_100_samples() -> None:
    """Strata as runs have them: a large one that is nearly always right, and two small doubtful ones."""
    truth = {800: 0.99, 150: 0.6, 50: 0.9}
    share = sum(population * p for population, p in truth.items()) / 1000
    generator = random.Random(28)
    covered = 0
    for _draw in range(2000):
        strata = [
            StratumCount(population, n, sum(generator.random() < p for _ in range(n)))
            for (population, p), n in zip(truth.items(), (100, 60, 40), strict=True)
        ]
        found = stratified_accuracy(strata)
        assert found is not None
        covered += found.interval.low <= share <= found.interval.high
    assert covered / 2000 >= 0.93
