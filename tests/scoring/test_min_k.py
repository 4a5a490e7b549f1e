"""Min-k % of log-probabilities, controls of like length, and the area under the ROC curve."""

import random
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.min_k import PERCENTS, TOLERANCE, auroc, compare_min_k, match_by_length, min_k

VALUES = st.lists(st.integers(-9, 9), min_size=1, max_size=12)


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=150), st.sampled_from(PERCENTS))
def test_min_k_is_the_mean_of_what_is_removed_one_by_one(
    logprobs: list[float], percent: int
) -> None:
    left, taken = list(logprobs), []
    while not taken or (len(taken) + 1) * 100 <= percent * len(logprobs):
        taken.append(left.pop(left.index(min(left))))

    assert min_k(logprobs, percent) == pytest.approx(sum(taken) / len(taken))


def test_min_k_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no token"):
        min_k([], 20)


@given(VALUES, VALUES)
def test_auroc_counts_all_pairs(higher: list[int], lower: list[int]) -> None:
    won = sum((a > b) + (a == b) / 2 for a, b in product(higher, lower))

    area, interval = auroc(np.array(higher, float), np.array(lower, float))

    assert area == pytest.approx(won / len(higher) / len(lower))
    assert interval.low <= area <= interval.high


def test_auroc_interval_holds_the_truth_as_often_as_it_says() -> None:
    drawing = np.random.default_rng(5)
    truth = NormalDist().cdf(1 / 2**0.5)
    held = 0
    for _try in range(400):
        _area, interval = auroc(drawing.normal(1, 1, 25), drawing.normal(0, 1, 25))
        held += interval.low <= truth <= interval.high

    assert held / 400 > 0.92


def test_each_length_gets_the_nearest_free_one() -> None:
    assert match_by_length([100, 10, 101], [11, 99, 130, 102, 9]) == [1, 4, 3]
    assert match_by_length([100, 100], [121, 100]) == [1, None]


@given(st.lists(st.integers(1, 60), max_size=30), st.lists(st.integers(1, 60), max_size=30))
def test_matches_are_near_and_used_once(wanted: list[int], pool: list[int]) -> None:
    found = match_by_length(wanted, pool)

    used = [place for place in found if place is not None]
    assert len(used) == len(set(used))
    for length, place in zip(wanted, found, strict=True):
        near = [
            other for at, other in enumerate(pool)
            if at not in used and abs(other - length) <= TOLERANCE * length
        ]  # fmt: skip
        if place is None:
            assert not near
        else:
            assert abs(pool[place] - length) <= TOLERANCE * length


def test_comparison_is_paired() -> None:
    drawing = random.Random(1)
    controls = np.array([drawing.uniform(-9, -3) for _text in range(30)])
    found = compare_min_k(controls + 0.5, controls)

    assert found.pairs == 30
    assert found.items - found.controls == pytest.approx(0.5)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.5, 0.5))
    assert found.auroc > 0.5

    single = compare_min_k(controls[:1], controls[1:2])
    assert single.interval is None
