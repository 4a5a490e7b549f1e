"""Paired statistics: two models on the same items, and several prompts or epochs of one model.

Values are one number an item between 0 and 1: whether the answer was right or, with several epochs,
how often it was. Items are the unit, so more epochs never count as more items.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from common.intervals import CONFIDENCE, Interval, wilson_interval

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


LEAST_VARIANCE = 1e-15
"""What is below comes from rounding: all items are equal."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over items with its standard error.

    standard_error: None where it needs more items or groups
    groups: the number of groups that items were taken together in, as of one passage; the number of
        items if each stands alone
    """

    n: int
    groups: int
    value: float
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """The first of two compared with the second on the items that they share.

    difference: first minus second, with a 95 % interval
    wins, losses: items on which the first was right more often, or less often
    p: of McNemar's exact test
    """

    n: int
    groups: int
    first: float
    second: float
    difference: float
    standard_error: float | None
    interval: Interval | None
    wins: int
    losses: int
    p: float


def mean_of_items(values: Floats, groups: Ints | None = None) -> Mean:
    """Return the mean with the standard error sd/√n, or the clustered one where items have groups.

    The clustered error is √(C/(C−1) · Σ_c (Σ_{i∈c} (s_i − mean))²) / n (Miller 2024,
    arXiv 2411.00640, with the factor C/(C−1)); with every item in a group of its own it is sd/√n.
    Raises ValueError without items.
    """
    n = len(values)
    if not n:
        raise ValueError("no item")
    mean = float(values.mean())
    sums = _group_sums(values - mean, groups)
    count = len(sums)
    if count < 2:
        return Mean(n, count, mean, None)
    error = math.sqrt(count / (count - 1) * float(sums @ sums)) / n
    return Mean(n, count, mean, error)


def paired_comparison(
    first: Floats, second: Floats, groups: Ints | None = None, *, confidence: float = CONFIDENCE
) -> PairedComparison:
    """Compare two on the same items, which stand in the same order. Raises ValueError without items."""
    if first.shape != second.shape:
        raise ValueError("not the same items")
    differences = first - second
    found = mean_of_items(differences, groups)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return PairedComparison(
        n=found.n,
        groups=found.groups,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=found.value,
        standard_error=found.standard_error,
        interval=difference_interval(differences, groups, confidence=confidence),
        wins=wins,
        losses=losses,
        p=mcnemar(wins, losses),
    )


def difference_interval(
    differences: Floats, groups: Ints | None = None, *, confidence: float = CONFIDENCE
) -> Interval | None:
    """Return the interval of a mean difference between −1 and 1; None with fewer than two groups.

    It is Wald's with Student's t (C − 1 degrees of freedom) after two more items: half an item won,
    half an item lost and one drawn (Agresti and Min 2005, Stat. Med. 24:729-740). So it covers 95 %
    with few items too, and equal answers to all items have an interval wider than 0.
    """
    count = len(differences) if groups is None else len(np.unique(groups))
    if count < 2:
        return None
    n = len(differences) + 2
    centre = float(differences.sum()) / n
    sums = _group_sums(differences - centre, groups)
    pseudo = ((1 - centre) ** 2 + (1 + centre) ** 2) / 2 + centre**2
    error = math.sqrt(count / (count - 1) * (float(sums @ sums) + pseudo)) / n
    half = t_quantile((1 + confidence) / 2, count - 1) * error
    return Interval(max(-1.0, centre - half), min(1.0, centre + half))


def share_interval(values: Floats, groups: Ints | None = None, *, epochs: int = 1) -> Interval:
    """Return Wilson's interval of a mean share over items, with an effective number of items.

    The number is p (1 − p) / V with the clustered variance V, times (z/t)² where there are few groups
    (Korn and Graubard 1998, Surv. Methodol. 24:193-201), and at most that of the answers. For items
    that stand alone in one epoch it is n: the interval is Wilson's. If all items are equal, V says
    nothing, and each group counts as one item.
    """
    n = len(values)
    if not n:
        return Interval(0.0, 1.0)
    share = float(values.mean())
    sums = _group_sums(values - share, groups)
    count, variance = len(sums), float(sums @ sums) / n**2
    effective = float(count)
    if count > 1 and variance > LEAST_VARIANCE:
        effective = min(share * (1 - share) / variance, float(n * epochs))
    if groups is not None and count < n and count > 1:
        effective *= (count - 1) / count * _z_by_t(count - 1) ** 2
    return wilson_interval(share * effective, effective)


def independent_difference(
    first: Floats, second: Floats, groups: tuple[Ints | None, Ints | None], *, epochs: int = 1
) -> tuple[float, Interval]:
    """Return the difference of two shares over different items, first minus second, with its interval.

    The interval joins those of the two shares (Newcombe 1998, Stat. Med. 17:873-890, method 10).
    Raises ValueError if one has no items.
    """
    if not len(first) or not len(second):
        raise ValueError("no item")
    a, b = float(first.mean()), float(second.mean())
    of_a = share_interval(first, groups[0], epochs=epochs)
    of_b = share_interval(second, groups[1], epochs=epochs)
    low = a - b - math.hypot(a - of_a.low, of_b.high - b)
    high = a - b + math.hypot(of_a.high - a, b - of_b.low)
    return a - b, Interval(low, high)


def mcnemar(wins: int, losses: int) -> float:
    """Return the p of McNemar's exact test: the two-sided binomial test of the items that differ.

    With several epochs, where items are won or lost by how often they were answered correctly, this
    is the sign test. 1 if no item differs.
    """
    if not wins + losses:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Return p values adjusted for all tests of a table (Holm 1979), in the order given.

    A test keeps this equal to statsmodels, which the web process does not load.
    """
    adjusted, highest, count = [0.0] * len(probabilities), 0.0, len(probabilities)
    order = sorted(range(count), key=probabilities.__getitem__)
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (count - rank) * probabilities[place]))
        adjusted[place] = highest
    return adjusted


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How much the accuracy of one model depends on the prompt, or on what else differs.

    values: one accuracy each, over the items that all share
    standard_deviation: of these accuracies
    variance_share: what part of the variance of single answers the prompt explains (0 if accuracies
        vary no more than by chance); None with fewer than two items
    changed: share of the items that are answered correctly by some and not by others
    """

    n: int
    values: tuple[float, ...]
    mean: float
    lowest: float
    highest: float
    standard_deviation: float
    variance_share: float | None
    changed: float

    @property
    def range(self) -> float:
        return self.highest - self.lowest


def sensitivity(values: Floats) -> Sensitivity:
    """Read a matrix with a row for each prompt and a column for each item.

    The share of variance is that of the prompt in a two-way analysis without repetition: of
    prompt + item + remainder, estimated from the mean squares (Searle, Casella and McCulloch 1992,
    chapter 4), negative estimates taken as 0. Raises ValueError without items or with one prompt.
    """
    prompts, n = values.shape
    if prompts < 2 or not n:
        raise ValueError("too little to compare")
    means = values.mean(axis=1)
    return Sensitivity(
        n=n,
        values=tuple(map(float, means)),
        mean=float(means.mean()),
        lowest=float(means.min()),
        highest=float(means.max()),
        standard_deviation=float(means.std(ddof=1)),
        variance_share=_row_share(values) if n > 1 else None,
        changed=float((values.min(axis=0) != values.max(axis=0)).mean()),
    )


def t_quantile(probability: float, degrees: int) -> float:
    """Return a quantile of Student's t."""
    from scipy.stats import t

    return float(t.ppf(probability, degrees))


def _z_by_t(degrees: int) -> float:
    probability = (1 + CONFIDENCE) / 2
    return NormalDist().inv_cdf(probability) / t_quantile(probability, degrees)


def _row_share(values: Floats) -> float:
    rows, columns = values.shape
    mean = values.mean()
    of_rows, of_columns = values.mean(axis=1) - mean, values.mean(axis=0) - mean
    rest = values - mean - of_rows[:, None] - of_columns[None, :]
    left = float((rest**2).sum()) / ((rows - 1) * (columns - 1))
    row = max(0.0, (columns * float((of_rows**2).sum()) / (rows - 1) - left) / columns)
    column = max(0.0, (rows * float((of_columns**2).sum()) / (columns - 1) - left) / rows)
    total = row + column + left
    return row / total if total else 0.0


def _group_sums(values: Floats, groups: Ints | None) -> Floats:
    if groups is None:
        return values
    _names, places = np.unique(groups, return_inverse=True)
    return np.bincount(places, weights=values).astype(np.float64)
