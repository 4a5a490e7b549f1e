"""Differential item functioning: against worked figures, and by simulation of known truth."""

import math

import numpy as np
import pytest

from scoring.item_dif import (
    DELTA_SCALE,
    DifResult,
    ItemDif,
    design_effect,
    differential_items,
    ets_size,
    harder_p,
    logistic_dif,
    mantel_haenszel,
)
from scoring.item_statistics import Answers

ITEMS, RESPONDENTS, PLANTED = 40, 200, 4
LARGE = 1.2
"""Logits; on the scale of ETS 2.35 times as much, which is well in class C."""


def answers_of(right: np.ndarray, models: np.ndarray | None = None) -> Answers:
    rows = np.arange(len(right))
    return Answers(
        right.astype(float),
        np.zeros(right.shape, np.int16),
        rows if models is None else models,
        rows,
        rows * 0,
    )


def simulated(seed: int, *, shift: float, drop: float) -> DifResult:
    """Two groups of one ability but for `drop`; the first PLANTED items are harder by `shift`."""
    chance = np.random.default_rng(seed)
    hard = chance.normal(0, 1, ITEMS)
    extra = np.where(np.arange(ITEMS) < PLANTED, shift, 0.0)

    def group(own: np.ndarray, drop: float) -> Answers:
        ability = chance.normal(0.5, 1, (RESPONDENTS, 1)) - drop
        share = 1 / (1 + np.exp(-(ability - hard - own)))
        return answers_of(chance.random(share.shape) < share)

    return differential_items(group(extra * 0, 0.0), group(extra, drop))


def test_mantel_haenszel_equals_the_sums_of_its_formula() -> None:
    chance = np.random.default_rng(5)
    own, theirs = (chance.random(90) < share for share in (0.7, 0.5))
    strata = chance.integers(0, 3, 90), chance.integers(0, 3, 90)
    found = mantel_haenszel(own.astype(float), theirs.astype(float), strata)

    over = under = difference = variance = 0.0
    for place in range(3):
        a, b = own[strata[0] == place], theirs[strata[1] == place]
        n, right = len(a) + len(b), a.sum() + b.sum()
        over += a.sum() * (len(b) - b.sum()) / n
        under += (len(a) - a.sum()) * b.sum() / n
        difference += a.sum() - len(a) * right / n
        variance += len(a) * len(b) * right * (n - right) / (n * n * (n - 1))
    assert found.delta == pytest.approx(DELTA_SCALE * math.log(over / under))
    assert found.p == pytest.approx(math.erfc(math.sqrt(difference**2 / variance / 2)))


def test_item_that_all_solve_in_both_languages_has_no_effect() -> None:
    ones, strata = np.ones(20), np.zeros(20, int)
    assert mantel_haenszel(ones, ones, (strata, strata)).delta is None
    assert logistic_dif(ones, ones, (np.arange(20.0), np.arange(20.0))) is None


def test_item_that_nobody_solves_in_the_target_language_has_a_finite_effect() -> None:
    strata = np.repeat([0, 1], 10)
    found = mantel_haenszel(np.tile([1.0, 1.0, 0.0, 1.0, 1.0], 4), np.zeros(20), (strata, strata))
    assert found.delta is not None
    assert found.delta < -3
    assert found.p is not None
    assert found.p < 0.001


def test_sizes_are_those_of_ets() -> None:
    sizes = {(0.9, 0.1): "A", (2.0, 1.2): "A", (1.4, 0.1): "B", (2.0, 0.7): "B", (2.0, 0.5): "C"}
    assert {case: ets_size(*case) for case in sizes} == sizes
    assert {case: ets_size(-case[0], case[1]) for case in sizes} == sizes


def test_identical_epochs_have_the_design_effect_of_their_number() -> None:
    chance = np.random.default_rng(2)
    once = chance.random((30, 200)) < 0.5
    models = np.repeat(np.arange(30), 3)
    assert design_effect(answers_of(np.repeat(once, 3, axis=0), models)) == pytest.approx(
        3, abs=0.1
    )
    independent = answers_of(chance.random((90, 200)) < 0.5, models)
    assert design_effect(independent) == pytest.approx(1, abs=0.05)


def test_large_effects_are_found_and_a_general_drop_is_none() -> None:
    result = simulated(3, shift=LARGE, drop=0.8)
    found = [place for place, each in enumerate(result.items) if each.is_found]
    assert set(range(PLANTED)) <= set(found)
    assert len(found) <= PLANTED + 1
    assert all((each.delta or 0) < -1 for each in result.items[:PLANTED])
    assert all(each.is_harder for each in result.items[:PLANTED])
    easier = simulated(3, shift=-LARGE, drop=0.8).items[:PLANTED]
    assert [each.is_found for each in easier].count(True) > PLANTED / 2
    assert not any(each.is_harder for each in easier)


def test_without_planted_effects_hardly_any_item_is_found() -> None:
    found = [each for each in simulated(4, shift=0.0, drop=0.8).items if each.is_found]
    assert len(found) <= 1


def test_without_planted_effects_no_twentieth_of_the_items_is_harder() -> None:
    items = [each for seed in range(4) for each in simulated(seed, shift=0.0, drop=0.8).items]
    assert sum(each.is_harder for each in items) <= len(items) / 20


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ((-3.0, 0.02), (-3.0, 0.02), 0.01),  # two that agree are one
        ((3.0, 0.02), (3.0, 0.02), 0.99),
        ((-3.0, 0.02), (None, None), 0.01),
        # tan(π(½ − 0.01)) / 2 = 15.910, beside which tan(π(½ − ½)) is 0
        ((-3.0, 0.02), (0.0, 1.0), 0.5 - math.atan(math.tan(0.49 * math.pi) / 2) / math.pi),
        ((None, None), (None, None), None),
    ],
)
def test_two_tests_are_combined_in_one_direction(
    first: tuple[float | None, float | None],
    second: tuple[float | None, float | None],
    p: float | None,
) -> None:
    found = ItemDif(
        9, 9, 1, delta=first[0], p=first[1], logistic_delta=second[0], logistic_p=second[1]
    )
    assert harder_p(found) == (None if p is None else pytest.approx(p))


def test_few_respondents_are_not_tested() -> None:
    few = answers_of(np.eye(5, 6) > 0)
    assert [each.p for each in differential_items(few, few).items] == [None] * 6
