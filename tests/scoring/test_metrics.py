"""Metrics against worked figures, published intervals and scipy."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from common.intervals import Interval, wilson_interval
from scoring.metrics import (
    CategoryMismatchError,
    EpochSummary,
    Outcome,
    Rates,
    Tally,
    outcome_of,
    random_baseline,
    summarise,
    summarise_epochs,
)
from scoring.scorers import Extraction

GOOD = Tally(correct=3, knowledge_error=1)
POOR = Tally(knowledge_error=1, no_answer=2, several_answers=2, repeater=1)
SILENT = Tally(no_answer=5)
tallies = st.builds(Tally, *[st.integers(0, 50)] * 5)


@pytest.mark.parametrize(
    ("tally", "n", "rates"),
    [
        (GOOD, 4, Rates(1.0, 0.75, 0.75)),
        (POOR, 6, Rates(1 / 6, 0.0, 0.0)),
        (SILENT, 5, Rates(0.0, 0.0, 0.0)),
        (Tally(), 0, Rates(0.0, 0.0, 0.0)),
    ],
)
def test_tally_rates_follow_their_definitions(tally: Tally, n: int, rates: Rates) -> None:
    assert (tally.n, tally.rates) == (n, rates)


@pytest.mark.parametrize(
    ("extraction", "is_correct", "outcome"),
    [
        (Extraction("A"), True, "correct"),
        (Extraction("A"), False, "knowledge_error"),
        (Extraction(None, failure="repeater"), False, "repeater"),
        (Extraction(None, failure="no_answer"), False, "no_answer"),
        (Extraction(None, failure="several_answers"), False, "several_answers"),
    ],
)
def test_outcome_of_extraction(extraction: Extraction, is_correct: bool, outcome: Outcome) -> None:
    assert outcome_of(extraction, is_correct=is_correct) == outcome


def test_summarise_category_has_unweighted_and_item_weighted_rates() -> None:
    summary = summarise(
        {"poor": POOR, "good": GOOD, "silent": SILENT},
        {"good": "x", "poor": "x", "silent": "y"},
    )
    assert [metrics.subject for metrics in summary.subjects] == ["good", "poor", "silent"]
    first, second = summary.categories
    assert (first.name, first.subject_count, first.tally) == ("x", 2, GOOD + POOR)
    assert first.unweighted == Rates((1 + 1 / 6) / 2, 0.375, 0.375)
    assert first.item_weighted == Rates(0.5, 0.3, 0.6)
    assert (second.name, second.item_weighted) == ("y", Rates(0.0, 0.0, 0.0))
    overall = summary.overall.unweighted
    assert overall.response_rate == pytest.approx(7 / 18)
    assert (overall.accuracy, overall.conditional_accuracy) == (0.25, 0.25)
    assert summary.overall.item_weighted == Rates(5 / 15, 3 / 15, 3 / 5)


def test_summarise_without_categories_reports_none() -> None:
    summary = summarise({"good": GOOD})
    assert (summary.categories, summary.overall.unweighted) == ((), GOOD.rates)


def test_summarise_mismatch_names_every_subject_of_both_kinds() -> None:
    with pytest.raises(CategoryMismatchError) as caught:
        summarise({"b": GOOD, "a": GOOD, "c": GOOD}, {"c": "x", "z": "x", "y": "x"})
    assert caught.value.without_category == ("a", "b")
    assert caught.value.without_responses == ("y", "z")


def test_summarise_empty_categories_are_a_mismatch_not_an_absence() -> None:
    with pytest.raises(CategoryMismatchError):
        summarise({"a": GOOD}, {})


def test_summarise_no_subject_is_refused() -> None:
    with pytest.raises(ValueError, match="no subject"):
        summarise({})


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1), tallies, min_size=1, max_size=8))
def test_summarise_loses_no_response(by_subject: dict[str, Tally]) -> None:
    summary = summarise(by_subject, {name: name[0] for name in by_subject})
    total = sum(tally.n for tally in by_subject.values())
    assert summary.overall.tally.n == total
    assert sum(group.tally.n for group in summary.categories) == total
    rates = summary.overall.item_weighted
    assert rates.accuracy == pytest.approx(rates.response_rate * rates.conditional_accuracy)


@pytest.mark.parametrize(
    ("counts", "percent"), [({4: 670}, 25.0), ({2: 1, 3: 1, 4: 1}, 36.111), ({2: 4}, 50.0)]
)
def test_random_baseline_is_the_mean_of_inverse_option_counts(
    counts: dict[int, int], percent: float
) -> None:
    assert 100 * random_baseline(counts) == pytest.approx(percent, abs=0.001)


def test_random_baseline_without_items_is_refused() -> None:
    with pytest.raises(ValueError, match="no item"):
        random_baseline({})


def test_summarise_epochs_of_one_has_no_deviation_and_no_interval() -> None:
    assert summarise_epochs([0.4]) == EpochSummary(1, 0.4, None, None)


def test_summarise_epochs_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no epoch"):
        summarise_epochs([])


def test_summarise_epochs_of_three_is_the_worked_example() -> None:
    summary = summarise_epochs([0.175, 0.175, 0.250])
    assert summary.mean == pytest.approx(0.2)
    assert summary.standard_deviation == pytest.approx(0.0433, abs=1e-4)
    assert summary.interval is not None
    half = 4.302653 * 0.0433013 / math.sqrt(3)
    assert (summary.interval.low, summary.interval.high) == pytest.approx((0.2 - half, 0.2 + half))


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_summarise_epochs_interval_equals_scipy(accuracies: list[float]) -> None:
    summary = summarise_epochs(accuracies)
    assert (summary.interval is None) == (summary.standard_deviation == 0)
    if summary.interval is None:
        return
    half = stats.t.ppf(0.975, len(accuracies) - 1) * stats.sem(accuracies)
    assert summary.interval.high - summary.mean == pytest.approx(half, abs=1e-9)
    assert summary.mean - summary.interval.low == pytest.approx(half, abs=1e-9)


def test_equal_epochs_have_no_interval_rather_than_one_without_width() -> None:
    assert summarise_epochs([0.5, 0.5, 0.5]) == EpochSummary(3, 0.5, 0.0, None)


def test_summarise_repeats_give_intervals_over_items_in_every_row() -> None:
    tallies = {"a": Tally(correct=6, knowledge_error=3), "b": Tally(knowledge_error=9)}
    repeats = {"a": {(3, 3): 2, (0, 3): 1}, "b": {(0, 3): 3}}

    found = summarise(tallies, {"a": "x", "b": "x"}, repeats=repeats)

    a, b = found.subjects
    (x,) = found.categories
    assert_interval(a.accuracy_interval, wilson_interval(2, 3))
    assert_interval(b.accuracy_interval, wilson_interval(0, 3))
    assert_interval(x.accuracy_interval, wilson_interval(2, 6))
    assert x.accuracy_interval == found.overall.accuracy_interval


def test_summarise_without_repeats_counts_every_response_as_an_item() -> None:
    assert summarise({"good": GOOD}).overall.accuracy_interval == wilson_interval(3, 4)


def assert_interval(found: Interval, expected: Interval) -> None:
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
