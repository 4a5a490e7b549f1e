"""The model of Dawid and Skene: against a campaign of known truth, and against brute force."""

import itertools
import math

import numpy as np
import pytest

from review.figures.reliability import fit_reliability
from review.outcomes import VERDICTS
from review.simulation.judging import MIXTURE, PROFILES

CLASSES = len(VERDICTS)


def campaign(seed: int, items: int = 1500, panel: int = 3) -> tuple[list[list[int]], list[float]]:
    """Judgements of the profiles of the simulation, and how often each is right."""
    chooser = np.random.default_rng(seed)
    people = [PROFILES[name] for name in (*MIXTURE, "hasty")]
    rows = []
    for item in range(items):
        is_faulty = chooser.random() < 0.35
        for person in chooser.choice(len(people), size=panel, replace=False):
            profile = people[person]
            chance = profile.sees_fault if is_faulty else profile.false_alarm
            rows.append([item, int(person), int(chooser.random() < chance)])
    truth = [0.35 * p.sees_fault + 0.65 * (1 - p.false_alarm) for p in people]
    return rows, truth


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_model_ranks_reviewers_of_a_simulated_campaign_rightly(seed: int) -> None:
    rows, truth = campaign(seed)

    found = fit_reliability(*zip(*rows, strict=True), class_count=CLASSES)

    accuracy = [each.accuracy for each in found.reviewers]
    assert found.is_converged
    careful, average, hasty = ([0, 3], [1, 2], [4, 5])
    assert min(accuracy[i] for i in careful) > max(accuracy[i] for i in average)
    assert min(accuracy[i] for i in average) > max(accuracy[i] for i in hasty)
    assert accuracy == pytest.approx(truth, abs=0.05)
    assert all(each.low < each.accuracy < each.high for each in found.reviewers)


@pytest.mark.parametrize("panel", [2, 3])
def test_nine_of_ten_intervals_hold_the_truth_though_the_classes_are_guesses(panel: int) -> None:
    holds = []
    for seed in range(20):
        rows, truth = campaign(seed, items=600, panel=panel)
        found = fit_reliability(*zip(*rows, strict=True), class_count=CLASSES)
        holds += [
            each.low <= share <= each.high
            for each, share in zip(found.reviewers, truth, strict=True)
        ]

    assert sum(holds) >= 0.9 * len(holds)


def test_model_knows_the_texts_better_than_the_majority() -> None:
    rows, _truth = campaign(4, panel=3)
    found = fit_reliability(*zip(*rows, strict=True), class_count=CLASSES)

    assert found.classes.shape == (1500, CLASSES)
    assert found.classes.sum(axis=1) == pytest.approx(1.0)
    assert found.prevalence[0] == pytest.approx(0.65, abs=0.04)


def likelihood(
    rows: list[list[int]], prevalence: list[float], confusion: list[list[list[float]]]
) -> float:
    """The chance of all answers, summed over every way to give the items classes."""
    items = sorted({item for item, _person, _answer in rows})
    total = 0.0
    for classes in itertools.product(range(len(prevalence)), repeat=len(items)):
        chance = math.prod(prevalence[each] for each in classes)
        for item, person, answer in rows:
            chance *= confusion[person][classes[items.index(item)]][answer]
        total += chance
    return total


def test_fit_of_a_tiny_table_is_a_peak_of_the_likelihood_by_brute_force() -> None:
    rows = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [2, 0, 0], [2, 1, 1], [3, 0, 0], [3, 1, 0]]
    found = fit_reliability(
        *zip(*rows, strict=True), class_count=2, smoothing=1e-9, most_iterations=3000
    )
    confusion = [[list(row) for row in each.confusion] for each in found.reviewers]
    best = likelihood(rows, list(found.prevalence), confusion)

    assert found.log_likelihood == pytest.approx(math.log(best), abs=1e-4)
    for person, true, step in itertools.product(range(2), range(2), (-0.02, 0.02)):
        moved = [[list(row) for row in each] for each in confusion]
        first = min(1.0, max(0.0, moved[person][true][0] + step))
        moved[person][true] = [first, 1 - first]
        assert likelihood(rows, list(found.prevalence), moved) <= best * (1 + 1e-3)


def test_fit_is_the_same_for_the_same_table_in_any_order() -> None:
    rows, _truth = campaign(5, items=200)
    first = fit_reliability(*zip(*rows, strict=True), class_count=CLASSES)
    second = fit_reliability(*zip(*reversed(rows), strict=True), class_count=CLASSES)

    assert [each.accuracy for each in first.reviewers] == pytest.approx(
        [each.accuracy for each in second.reviewers]
    )


def test_who_judged_little_is_taken_for_an_average_reviewer() -> None:
    rows, _truth = campaign(6, items=400)
    rows += [[0, 99, 1 - next(a for i, _p, a in rows if i == 0)]]
    found = fit_reliability(*zip(*rows, strict=True), class_count=CLASSES)

    newcomer = found.reviewers[-1]
    assert (newcomer.reviewer, newcomer.judgements) == (99, 1)
    assert 0.5 < newcomer.accuracy < 0.95
    assert newcomer.high - newcomer.low > 0.5


@pytest.mark.parametrize("answers", [[], [3], [-1]])
def test_fit_refuses_what_is_no_answer(answers: list[int]) -> None:
    with pytest.raises(ValueError, match="from 0 to 2"):
        fit_reliability([0] * len(answers), [0] * len(answers), answers, class_count=CLASSES)
