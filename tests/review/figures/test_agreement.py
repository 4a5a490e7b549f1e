"""Published worked examples and properties of the agreement statistics."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from common.estimates import Estimate, NoInterval, Undefined
from review.figures.agreement import (
    Record,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    merge_rows,
    table_from_records,
)
from review.figures.intervals import Ints

# Fleiss 1971: diagnoses of 30 patients by 6 psychiatrists each, as sorted digits 1-5.
FLEISS_1971 = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
""".split()

# The 10 items x 14 reviewers x 5 categories example.
TEN_BY_FOURTEEN = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

# Krippendorff's canonical data: four observers, twelve units, a dot for a missing value.
KRIPPENDORFF = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def counted(items: list[str], categories: str = "12345") -> Ints:
    return np.array([[item.count(each) for each in categories] for item in items])


def ones(counts: Ints) -> Ints:
    return np.ones(len(counts), dtype=np.int64)


FLEISS = counted(FLEISS_1971)
TEN = np.array(TEN_BY_FOURTEEN)
CANONICAL = counted(["".join(unit) for unit in zip(*KRIPPENDORFF, strict=True)])


@pytest.mark.parametrize(
    ("counts", "panel_size", "published"), [(FLEISS, 6, 0.430), (TEN, 14, 0.210)]
)
def test_fleiss_kappa_on_published_tables_gives_the_published_value(
    counts: Ints, panel_size: int, published: float
) -> None:
    estimate = fleiss_kappa(counts, ones(counts), panel_size=panel_size)

    assert estimate.value == pytest.approx(published, abs=5e-4)
    assert (estimate.n_used, estimate.n_left_out) == (len(counts), 0)


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.7434), ("ordinal", 0.8154)])
def test_krippendorff_alpha_on_the_canonical_data_gives_the_published_value(
    level: str, published: float
) -> None:
    estimate = krippendorff_alpha(CANONICAL, ones(CANONICAL), level=level)  # type: ignore[arg-type]

    assert estimate.value == pytest.approx(published, abs=5e-5)
    assert (estimate.n_used, estimate.n_left_out) == (11, 1)


def test_krippendorff_alpha_on_the_ten_item_table_agrees_with_irr_cac() -> None:
    assert krippendorff_alpha(TEN, ones(TEN)).value == pytest.approx(0.2156, abs=5e-5)


def test_gwet_ac1_on_the_ten_item_table_agrees_with_irr_cac() -> None:
    assert gwet_ac1(TEN, ones(TEN)).value == pytest.approx(0.2256, abs=5e-5)


def test_gwet_ac1_with_incomplete_items_is_the_handbook_formula() -> None:
    counts = np.array([[2, 0], [1, 1], [1, 0], [3, 0]])
    # Pa over the pairable items: (1 + 0 + 1) / 3; shares of category 1: 1, .5, 1, 1.
    share = 3.5 / 4
    expected = 2 * share * (1 - share)

    estimate = gwet_ac1(counts, ones(counts))

    assert estimate.value == pytest.approx((2 / 3 - expected) / (1 - expected))
    assert (estimate.n_used, estimate.n_left_out) == (3, 1)


def test_interval_of_kappa_begins_near_the_percentiles_and_reaches_further_up() -> None:
    estimate = fleiss_kappa(TEN, ones(TEN), panel_size=14, resamples=5000, seed=1)

    # Percentiles of resampled items, measured with scipy: (0.044, 0.364).
    assert estimate.low == pytest.approx(0.044, abs=0.03)
    assert estimate.high is not None
    assert 0.364 < estimate.high < 0.6


@st.composite
def full_tables(draw: st.DrawFn) -> Ints:
    size = draw(st.integers(2, 5))
    categories = draw(st.integers(2, 5))
    rating = st.integers(0, categories - 1)
    items = draw(st.lists(st.lists(rating, min_size=size, max_size=size), min_size=2, max_size=12))
    return np.array([np.bincount(item, minlength=categories) for item in items])


@st.composite
def ragged_tables(draw: st.DrawFn) -> Ints:
    item = st.lists(st.integers(0, 3), min_size=0, max_size=4)
    items = draw(st.lists(item, min_size=1, max_size=12))
    return np.array([np.bincount(each, minlength=4) for each in items], dtype=np.int64)


def alpha_by_definition(counts: Ints, level: str) -> float | None:
    """Krippendorff's coincidence matrix, cell by cell."""
    units = [unit for unit in counts.astype(float) if unit.sum() > 1]
    matrix = sum(((np.outer(u, u) - np.diag(u)) / (u.sum() - 1) for u in units), np.zeros((4, 4)))
    n = matrix.sum(axis=1)
    if np.count_nonzero(n) < 2 or len(units) < 2:
        return None
    observed = expected = 0.0
    for c in range(4):
        for k in range(c + 1, 4):
            between = n[c : k + 1].sum() - (n[c] + n[k]) / 2
            weight = between**2 if level == "ordinal" else 1.0
            observed += matrix[c, k] * weight
            expected += n[c] * n[k] * weight
    return float(1 - (n.sum() - 1) * observed / expected)


@given(full_tables())
@settings(max_examples=60, deadline=None)
def test_fleiss_kappa_equals_statsmodels(counts: Ints) -> None:
    assume(np.count_nonzero(counts.sum(axis=0)) > 1)

    ours = fleiss_kappa(counts, ones(counts), panel_size=int(counts[0].sum()), resamples=0)

    assert ours.value == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@given(counts=ragged_tables())
@settings(max_examples=60, deadline=None)
def test_krippendorff_alpha_equals_its_definition(level: str, counts: Ints) -> None:
    ours = krippendorff_alpha(counts, ones(counts), level=level, resamples=0)  # type: ignore[arg-type]

    expected = alpha_by_definition(counts, level)
    assert ours.value == (None if expected is None else pytest.approx(expected, abs=1e-9))


def all_estimates(counts: Ints, weights: Ints, resamples: int = 20) -> list[Estimate]:
    return [
        fleiss_kappa(counts, weights, panel_size=3, resamples=resamples, seed=7),
        krippendorff_alpha(counts, weights, level="nominal", resamples=resamples, seed=7),
        krippendorff_alpha(counts, weights, level="ordinal", resamples=resamples, seed=7),
        gwet_ac1(counts, weights, resamples=resamples, seed=7),
    ]


@given(ragged_tables(), st.data())
@settings(max_examples=40, deadline=None)
def test_estimates_of_weighted_patterns_equal_those_of_the_expanded_table(
    counts: Ints, data: st.DataObject
) -> None:
    size = len(counts)
    weights = np.array(data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    expanded = np.repeat(counts, weights, axis=0)

    assert all_estimates(counts, weights) == all_estimates(expanded, ones(expanded))


@given(ragged_tables(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_estimates_do_not_depend_on_the_order_of_items(counts: Ints, random: object) -> None:
    order = list(range(len(counts)))
    random.shuffle(order)  # type: ignore[attr-defined]

    assert all_estimates(counts, ones(counts)) == all_estimates(counts[order], ones(counts))


@given(ragged_tables(), st.permutations(range(4)))
@settings(max_examples=40, deadline=None)
def test_nominal_values_do_not_depend_on_the_order_of_categories(
    counts: Ints, order: list[int]
) -> None:
    for index in (0, 1, 3):
        before = all_estimates(counts, ones(counts), resamples=0)[index].value
        after = all_estimates(counts[:, order], ones(counts), resamples=0)[index].value
        assert after == (None if before is None else pytest.approx(before, abs=1e-9))


@given(ragged_tables())
@settings(max_examples=40, deadline=None)
def test_ordinal_alpha_is_the_same_on_the_reversed_scale(counts: Ints) -> None:
    before = krippendorff_alpha(counts, ones(counts), level="ordinal", resamples=0).value
    after = krippendorff_alpha(counts[:, ::-1], ones(counts), level="ordinal", resamples=0).value

    assert after == (None if before is None else pytest.approx(before, abs=1e-9))


@given(ragged_tables())
@settings(max_examples=60, deadline=None)
def test_estimates_are_numbers_or_reasons_and_account_for_every_rated_item(counts: Ints) -> None:
    rated = int((counts.sum(axis=1) > 0).sum())
    for estimate in all_estimates(counts, ones(counts)):
        numbers = [estimate.value, estimate.low, estimate.high]
        assert (estimate.value is None) == (estimate.undefined_reason is not None)
        assert all(number is None or np.isfinite(number) for number in numbers)
        assert estimate.n_used + estimate.n_left_out == rated


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (np.zeros((0, 3), dtype=np.int64), Undefined.NO_ITEMS),
        ([[0, 0, 0], [0, 0, 0]], Undefined.NO_ITEMS),
        ([[1, 0, 0], [0, 1, 0]], Undefined.NOTHING_TO_COMPARE),
        ([[2, 1, 0], [0, 1, 0]], Undefined.TOO_FEW_ITEMS),
        ([[3, 0, 0], [3, 0, 0]], Undefined.NO_VARIATION),
    ],
)
def test_estimates_without_a_basis_say_why(counts: Ints, reason: Undefined) -> None:
    table = np.asarray(counts)
    used = int((table.sum(axis=1) == 3).sum())
    left_out = int((table.sum(axis=1) > 0).sum()) - used

    expected = Estimate(None, None, None, used, left_out, reason)
    assert all_estimates(table, ones(table)) == [expected] * 4


def test_fleiss_kappa_leaves_out_items_with_fewer_or_more_ratings() -> None:
    counts = np.array([[2, 0], [0, 2], [1, 1], [1, 0], [3, 0]])

    estimate = fleiss_kappa(counts, ones(counts), panel_size=2)

    assert (estimate.n_used, estimate.n_left_out) == (3, 2)
    assert estimate.value == fleiss_kappa(counts[:3], ones(counts[:3]), panel_size=2).value


def test_fleiss_kappa_for_panels_of_one_has_nothing_to_compare() -> None:
    estimate = fleiss_kappa([[1, 0], [0, 1]], [5, 5], panel_size=1)

    assert estimate == Estimate(None, None, None, 0, 10, Undefined.NOTHING_TO_COMPARE)


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(11)
    # Two reviewers, two categories, equal shares; they agree on 80 % of items, so kappa is .6.
    patterns, shares = [[2, 0], [1, 1], [0, 2]], [0.4, 0.2, 0.4]
    covered = 0
    for seed in range(200):
        weights = generator.multinomial(200, shares)
        estimate = fleiss_kappa(patterns, weights, panel_size=2, resamples=400, seed=seed)
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= 0.6 <= estimate.high

    assert 180 <= covered <= 199


@pytest.mark.parametrize(
    ("counts", "weights"),
    [
        ([[1, -1]], [1]),
        ([[1.5, 1.0]], [1]),
        ([[1, 1]], [-1]),
        ([[1, 1]], [1, 2]),
        ([1, 1], [1, 1]),
    ],
)
def test_merge_rows_with_impossible_tables_refuses(counts: object, weights: object) -> None:
    with pytest.raises(ValueError, match=r"counts|weights"):
        merge_rows(counts, weights)  # type: ignore[arg-type]


def test_table_from_records_counts_values_by_item() -> None:
    records = [Record("b", "x", 3), Record("a", "x", 1), Record("b", "y", 1), Record("a", "z", 1)]

    table = table_from_records(records)

    assert table.counts.tolist() == [[1, 1], [2, 0]]
    assert table.categories == (1, 3)
    assert (table.items, table.reviewers, table.values) == (2, 3, 4)


def test_table_from_records_with_two_values_of_one_reviewer_refuses() -> None:
    with pytest.raises(ValueError, match="more than one value"):
        table_from_records([Record("a", "x", "1"), Record("a", "x", "1")])


@pytest.mark.parametrize(
    "estimate",
    [
        Estimate(0.5, 0.25, 0.75, 10, 2),
        Estimate(1.0, None, None, 10, 2, None, NoInterval.TOO_LITTLE_DISAGREEMENT),
        Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS),
    ],
)
def test_estimate_survives_json(estimate: Estimate) -> None:
    assert Estimate.from_json(json.loads(json.dumps(estimate.as_json()))) == estimate


def test_estimate_frozen_before_intervals_could_be_withheld_is_still_read() -> None:
    frozen = {
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "n_used": 10,
        "n_left_out": 2,
        "undefined": None,
        "undefined_resamples": 3,
    }

    assert Estimate.from_json(frozen) == Estimate(0.5, 0.25, 0.75, 10, 2)


def test_the_published_fleiss_table_has_the_published_marginals() -> None:
    assert Counter("".join(FLEISS_1971)) == {"1": 26, "2": 26, "3": 30, "4": 55, "5": 43}
