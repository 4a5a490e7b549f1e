"""Agreement between reviewers: Fleiss kappa, Krippendorff alpha and Gwet AC1 with intervals.

Every statistic reads a weighted table of rating counts: `counts[p, c]` says how many reviewers
chose category `c` in pattern `p`, `weights[p]` how many items show that pattern. Rows of
`counts` without any rating are not items of the statistic: they are neither used nor left out.

Intervals are 95 % intervals over items (`review.figures.intervals`). They draw from the distinct
patterns, so the cost does not grow with the number of items. Equal rows are merged and put in a
fixed order first: the same items and seed give the same interval in whatever order they come.

Fewer than `least_items` usable items give no value; the least that a statistic can do with is 2.
A kappa or alpha that rests on a single item has a value but no interval, and says so.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from common.estimates import Estimate, NoInterval, Undefined
from review.figures.intervals import RESAMPLES, Floats, Ints, Statistic, agreement_interval

Level = Literal["nominal", "ordinal"]

LEAST_VARIED = 2
"""So many items must differ from the most common answer for kappa and alpha to have an interval."""


class Record(NamedTuple):
    """One reviewer's value of one item, as a long table holds it."""

    item: str
    reviewer: str
    value: str | int


class RatingTable(NamedTuple):
    """Counts with one row an item; the columns are `categories` in ascending order."""

    counts: Ints
    weights: Ints
    categories: tuple[str | int, ...]
    items: int
    reviewers: int
    values: int


def table_from_records(records: Iterable[Record]) -> RatingTable:
    """Count the records of each item by value; values are all text or all integers.

    Raises ValueError when one reviewer has two records of one item.
    """
    found: dict[tuple[str, str], str | int] = {}
    for item, reviewer, value in records:
        if (item, reviewer) in found:
            raise ValueError(f"{reviewer!r} has more than one value of item {item!r}")
        found[item, reviewer] = value
    items = {item: row for row, item in enumerate(dict.fromkeys(item for item, _ in found))}
    categories = tuple(sorted(set(found.values()), key=lambda value: (str(type(value)), value)))
    columns = {category: column for column, category in enumerate(categories)}
    counts = np.zeros((len(items), len(categories)), dtype=np.int64)
    for (item, _), value in found.items():
        counts[items[item], columns[value]] += 1
    reviewers = len({reviewer for _, reviewer in found})
    weights = np.ones(len(items), dtype=np.int64)
    return RatingTable(counts, weights, categories, len(items), reviewers, len(found))


def fleiss_kappa(
    counts: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    panel_size: int,
    resamples: int = RESAMPLES,
    seed: int = 0,
    least_items: int = 2,
) -> Estimate:
    """Fleiss (1971) kappa over the items with exactly `panel_size` ratings.

    kappa = (P - Pe) / (1 - Pe), P the mean share of agreeing pairs of an item and Pe the sum of
    squared category shares. All other rated items are left out, also those with more ratings.
    """
    rated = _rated(counts, weights)
    used = rated.where(rated.sizes == panel_size if panel_size > 1 else rated.sizes < 0)
    plan = _Plan(resamples, seed, least_items)
    return _estimate(used, used, rated.n, _kappa, plan, _shaky(used))


def krippendorff_alpha(
    counts: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    level: Level = "nominal",
    resamples: int = RESAMPLES,
    seed: int = 0,
    least_items: int = 2,
) -> Estimate:
    """Krippendorff's alpha = 1 - Do / De over the items with two or more ratings.

    Items may have different numbers of ratings (Krippendorff 2011, "Computing Krippendorff's
    alpha-reliability"). The ordinal difference of two categories is the distance of their mean
    ranks among all pairable values, so it is computed anew in each resample; columns are in rank
    order. Items with one rating have nothing to be paired with and are left out.
    """
    rated = _rated(counts, weights)
    used = rated.where(rated.sizes > 1)
    statistic = _alpha_nominal if level == "nominal" else _alpha_ordinal
    plan = _Plan(resamples, seed, least_items)
    return _estimate(used, used, rated.n, statistic, plan, _shaky(used))


def gwet_ac1(
    counts: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    least_items: int = 2,
) -> Estimate:
    """Gwet (2008) AC1; every column of `counts` is a category of the scale, used or not.

    AC1 = (Pa - Pe) / (1 - Pe) with Pe = sum(pi_c (1 - pi_c)) / (q - 1) over q categories. Pa is
    the mean over items with two or more ratings; as in Gwet's handbook items with one rating
    count as left out but still inform the shares pi, so they stay in the resampled items.

    Items that all show one category are reported as undefined, although the formula gives 1
    there: nothing was seen that could have disagreed.
    """
    rated = _rated(counts, weights)
    used = rated.where(rated.sizes > 1)
    return _estimate(used, rated, rated.n, _ac1, _Plan(resamples, seed, least_items), None)


def merge_rows(rows: npt.ArrayLike, weights: npt.ArrayLike) -> tuple[Ints, Ints]:
    """Add the weights of equal rows; heaviest row first, then by value.

    Raises ValueError for shapes that do not fit, fractions or negative numbers.
    """
    table, multiplicity = _whole(rows, "counts"), _whole(weights, "weights")
    if table.ndim != 2 or multiplicity.shape != table.shape[:1]:
        raise ValueError("counts must be (patterns, categories) and weights (patterns,)")
    distinct, inverse = np.unique(table, axis=0, return_inverse=True)
    merged = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(merged, inverse.reshape(-1), multiplicity)
    order = np.argsort(-merged, kind="stable")
    return distinct[order], merged[order]


class _Sample(NamedTuple):
    counts: Ints
    weights: Ints

    @property
    def sizes(self) -> Ints:
        sizes: Ints = self.counts.sum(axis=1)
        return sizes

    @property
    def n(self) -> int:
        return int(self.weights.sum())

    @property
    def has_variation(self) -> bool:
        return bool(np.count_nonzero(self.counts.sum(axis=0)) > 1)

    def where(self, mask: npt.NDArray[np.bool_]) -> "_Sample":
        return _Sample(self.counts[mask], self.weights[mask])


def _rated(counts: npt.ArrayLike, weights: npt.ArrayLike) -> _Sample:
    merged = _Sample(*merge_rows(counts, weights))
    return merged.where((merged.sizes > 0) & (merged.weights > 0))


def _whole(values: npt.ArrayLike, name: str) -> Ints:
    array = np.asarray(values)
    if array.size == 0:
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must be whole numbers")
    if array.min() < 0:
        raise ValueError(f"{name} must not be negative")
    return array.astype(np.int64)


class _Plan(NamedTuple):
    resamples: int
    seed: int
    least_items: int


def _estimate(
    used: _Sample,
    drawn: _Sample,
    n_rated: int,
    statistic: Statistic,
    plan: _Plan,
    no_interval: NoInterval | None,
) -> Estimate:
    left_out = n_rated - used.n
    reason = _undefined_reason(used, n_rated, plan.least_items)
    if reason is not None:
        return Estimate(None, None, None, used.n, left_out, reason)
    value = float(statistic(drawn.counts, drawn.weights[np.newaxis].astype(float))[0])
    if no_interval is not None:
        return Estimate(value, None, None, used.n, left_out, None, no_interval)
    interval = agreement_interval(
        *drawn, statistic, value=value, resamples=plan.resamples, seed=plan.seed
    )
    return Estimate(value, *interval, used.n, left_out)


def _shaky(used: _Sample) -> NoInterval | None:
    """Refuse an interval where all items but one show one answer from everyone.

    Chance agreement, the denominator of kappa and alpha, then comes from that one item alone,
    and an interval would reach from about 0 to about 1.
    """
    main = (used.weights @ used.counts).argmax()
    others = used.where(used.counts[:, main] < used.sizes).n
    return NoInterval.TOO_LITTLE_DISAGREEMENT if others < LEAST_VARIED else None


def _undefined_reason(used: _Sample, n_rated: int, least_items: int) -> Undefined | None:
    if not n_rated:
        return Undefined.NO_ITEMS
    if not used.n:
        return Undefined.NOTHING_TO_COMPARE
    if used.n < max(2, least_items):
        return Undefined.TOO_FEW_ITEMS
    return None if used.has_variation else Undefined.NO_VARIATION


def _kappa(counts: Ints, draws: Floats) -> Floats:
    size = counts[0].sum()
    agreeing = (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
    totals = draws @ counts
    n = draws.sum(axis=1)
    expected = ((totals / (n * size)[:, np.newaxis]) ** 2).sum(axis=1)
    return _chance_corrected(draws @ agreeing / n, expected, _varied(totals))


def _alpha_nominal(counts: Ints, draws: Floats) -> Floats:
    sizes = counts.sum(axis=1)
    differing = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)
    totals = draws @ counts
    n = totals.sum(axis=1)
    expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
    return _one_minus_ratio(draws @ differing, expected, _varied(totals))


def _alpha_ordinal(counts: Ints, draws: Floats) -> Floats:
    """Alpha with squared distances of mean ranks.

    With ranks centred on 0, the sum of n_c n_k (r_c - r_k)^2 over all pairs is 2 N sum(n_c r_c^2),
    which avoids the (categories, categories) matrix.
    """
    sizes = counts.sum(axis=1).astype(float)
    totals = draws @ counts
    n = totals.sum(axis=1, keepdims=True)
    ranks = (np.cumsum(totals, axis=1) - totals / 2) / n - 0.5
    squares = (draws @ (counts * (sizes / (sizes - 1))[:, np.newaxis]) * ranks**2).sum(axis=1)
    sums = ranks @ counts.T
    observed = 2 * (squares - (draws * sums**2) @ (1 / (sizes - 1)))
    expected = 2 * n[:, 0] * (totals * ranks**2).sum(axis=1) / (n[:, 0] - 1)
    return _one_minus_ratio(observed, expected, _varied(totals))


def _ac1(counts: Ints, draws: Floats) -> Floats:
    sizes = counts.sum(axis=1)
    pairs = np.maximum(sizes * (sizes - 1), 1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / pairs
    pairable = draws @ (sizes > 1).astype(float)
    shares = draws @ (counts / sizes[:, np.newaxis]) / draws.sum(axis=1, keepdims=True)
    expected = (shares * (1 - shares)).sum(axis=1) / (counts.shape[1] - 1)
    observed = np.divide(draws @ agreeing, pairable, where=pairable > 0, out=np.zeros(len(draws)))
    return _chance_corrected(observed, expected, pairable > 0)


def _varied(totals: Floats) -> npt.NDArray[np.bool_]:
    varied: npt.NDArray[np.bool_] = np.count_nonzero(totals, axis=1) > 1
    return varied


def _chance_corrected(observed: Floats, expected: Floats, defined: npt.NDArray[np.bool_]) -> Floats:
    return _one_minus_ratio(1 - observed, 1 - expected, defined)


def _one_minus_ratio(
    disagreement: Floats, expected: Floats, defined: npt.NDArray[np.bool_]
) -> Floats:
    ratio = np.full(len(expected), np.nan)
    np.divide(disagreement, expected, where=defined, out=ratio)
    return 1 - ratio
