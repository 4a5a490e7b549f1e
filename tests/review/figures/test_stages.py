"""Figures of stages from tallies."""

import itertools
import json
import random

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from common.estimates import Estimate, NoInterval, Undefined
from projects.criteria import DEFAULT_CRITERIA
from review.figures.agreement import fleiss_kappa, gwet_ac1, krippendorff_alpha
from review.figures.stages import (
    StageFigures,
    StageInput,
    approval_rate,
    mean_rating,
    stage_figures,
)
from review.outcomes import make_tally
from tests.timing import least_cpu

TALLIES = {"A45 A44": 20, "A45 E33": 7, "E22 E21": 5, "A44 R01": 2, "A55": 3, "": 4}


def test_stage_figures_count_items_judged_in_full_in_part_and_not_at_all() -> None:
    figures = stage_figures(StageInput(2, 20, TALLIES))

    assert (figures.items_judged, figures.approved) == (34, 20)
    assert figures.approval_rate.value == pytest.approx(20 / 34)
    assert (figures.approval_rate.n_used, figures.approval_rate.n_left_out) == (34, 3)
    assert (figures.fleiss_kappa.n_used, figures.fleiss_kappa.n_left_out) == (34, 3)
    assert (figures.means["domain"].n_used, figures.means["domain"].n_left_out) == (37, 0)


def test_stage_figures_means_are_over_all_ratings() -> None:
    figures = stage_figures(StageInput(2, 20, TALLIES))

    ratings = 20 * (4 + 4) + 7 * (4 + 3) + 5 * (2 + 2) + 2 * (4 + 0) + 3 * 5
    assert figures.means["domain"].value == pytest.approx(ratings / 71)
    cultural = 20 * (5 + 4) + 7 * (5 + 3) + 5 * (2 + 1) + 2 * (4 + 1) + 3 * 5
    assert figures.means["cultural"].value == pytest.approx(cultural / 71)


def test_stage_figures_agreement_is_that_of_the_tables_behind_the_tallies() -> None:
    figures = stage_figures(StageInput(2, 20, TALLIES), seed=5)

    verdicts = [[2, 0, 0], [1, 1, 0], [0, 2, 0], [1, 0, 1], [1, 0, 0]]
    domain = [[0, 0, 0, 0, 2, 0], [0, 0, 0, 1, 1, 0], [0, 0, 2, 0, 0, 0], [1, 0, 0, 0, 1, 0]]
    weights = [20, 7, 5, 2, 3]
    assert figures.fleiss_kappa == fleiss_kappa(verdicts, weights, panel_size=2, seed=5)
    assert figures.alpha_verdicts == krippendorff_alpha(verdicts, weights, seed=5)
    assert figures.gwet_ac1 == gwet_ac1(verdicts, weights, seed=5)
    expected = krippendorff_alpha(domain, weights[:4], level="ordinal", seed=5)
    assert figures.alphas["domain"].value == expected.value


def test_stage_figures_are_the_same_for_any_order_of_tallies() -> None:
    reversed_tallies = dict(reversed(TALLIES.items()))

    first = stage_figures(StageInput(2, 20, TALLIES), seed=3)

    assert first == stage_figures(StageInput(2, 20, reversed_tallies), seed=3)


ESTIMATES = (
    "approval_rate",
    "final_approval_rate",
    "domain_mean",
    "cultural_mean",
    "fleiss_kappa",
    "alpha_verdicts",
    "alpha_domain",
    "alpha_cultural",
    "gwet_ac1",
)


def test_stage_figures_without_items_say_so() -> None:
    figures = stage_figures(StageInput(2, 0, {"": 12}))

    nothing = Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)
    assert figures.estimates == dict.fromkeys(ESTIMATES, nothing)
    assert figures.items_judged == 0


def test_stage_figures_where_all_agree_have_means_but_no_agreement() -> None:
    figures = stage_figures(StageInput(2, 85, {"A55 A55": 85}))

    assert (figures.means["domain"].value, figures.means["domain"].n_used) == (5.0, 85)
    assert figures.means["domain"].no_interval is NoInterval.ALL_THE_SAME
    for name in ("fleiss_kappa", "alpha_verdicts", "alpha_domain", "alpha_cultural", "gwet_ac1"):
        assert figures.estimates[name].undefined_reason is Undefined.NO_VARIATION


def test_stage_figures_of_panels_of_one_have_nothing_to_compare() -> None:
    figures = stage_figures(StageInput(1, 3, {"A55": 3, "R00": 2}))

    assert figures.approval_rate.value == 0.6
    assert figures.fleiss_kappa.undefined_reason is Undefined.NOTHING_TO_COMPARE


def test_stage_figures_survive_being_frozen_as_json() -> None:
    figures = stage_figures(StageInput(2, 20, TALLIES))

    assert (
        StageFigures.from_json(json.loads(json.dumps(figures.as_json())), DEFAULT_CRITERIA)
        == figures
    )


@pytest.mark.parametrize(("approved", "judged"), [(0, 10), (10, 10), (192, 670), (1, 1), (5, 9)])
def test_approval_rate_interval_is_wilson_as_statsmodels_computes_it(
    approved: int, judged: int
) -> None:
    estimate = approval_rate(approved, judged)

    low, high = proportion_confint(approved, judged, method="wilson")
    assert [estimate.low, estimate.high] == pytest.approx([low, high])
    assert estimate.value == approved / judged


@pytest.mark.parametrize("approved", [-1, 11])
def test_approval_rate_with_more_approved_than_judged_refuses(approved: int) -> None:
    with pytest.raises(ValueError, match="of 10 judged"):
        approval_rate(approved, 10)


def test_mean_rating_interval_matches_the_standard_error_over_items() -> None:
    counts = np.array([[1, 0, 0, 0, 0, 1], [0, 0, 2, 0, 0, 0], [0, 0, 0, 0, 0, 2]])
    weights = np.array([50, 30, 20])
    item_means = np.repeat([2.5, 2.0, 5.0], weights)
    error = item_means.std(ddof=1) / 10

    estimate = mean_rating(counts, weights, resamples=4000)

    assert estimate.value == pytest.approx(item_means.mean())
    assert estimate.low == pytest.approx(item_means.mean() - 1.96 * error, abs=0.03)
    assert estimate.high == pytest.approx(item_means.mean() + 1.96 * error, abs=0.03)


def test_mean_rating_that_all_items_have_is_not_shown_as_certain() -> None:
    counts = np.array([[0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 3]])
    assert mean_rating(counts, np.array([20, 10])) == Estimate(
        5.0, None, None, 30, 0, None, NoInterval.ALL_THE_SAME
    )


def test_mean_rating_of_one_item_has_no_interval() -> None:
    estimate = mean_rating(np.array([[0, 0, 1, 0, 1, 0]]), np.array([1]))

    assert estimate == Estimate(3.0, None, None, 1, 0)


@pytest.mark.slow
def test_stage_figures_of_500_patterns_take_the_time_of_a_page() -> None:
    chooser = random.Random(4)
    tokens = ["".join(each) for each in itertools.product("AER", "012345", "012345")]
    tallies = {
        make_tally(chooser.choices(tokens, k=3)): chooser.randint(1, 300) for _ in range(500)
    }

    # Measured at about 17 ms; the bound leaves room for a slow, busy machine.
    assert least_cpu(lambda: stage_figures(StageInput(3, 100, tallies))) < 0.3
