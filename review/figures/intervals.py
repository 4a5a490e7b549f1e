"""Intervals over items, from random draws: of a mean rating, and of a coefficient of agreement.

A draw says how often each distinct row of a table occurs, so its cost does not grow with the
number of items. The same rows in the same order and the same seed give the same interval.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Statistic = Callable[[Ints, Floats], Floats]
"""(rows, draws of shape (k, rows)) -> k values, NaN where the statistic is undefined."""

RESAMPLES = 1000
SLIPS, SCATTERED, UNANIMOUS = 1.0, 0.5, 2.0
"""How many unseen items of each kind take part in a draw, chosen by simulation (ADR 0023)."""
_QUANTILES = (0.025, 0.975)  # by the method of Weibull, which holds for few draws too
_POPULATION = 1e9
_MOST_CATEGORIES = 8
_CELLS_PER_BLOCK = 2_000_000


class Interval(NamedTuple):
    """Both ends of a 95 % interval; None where there are no draws."""

    low: float | None
    high: float | None


def percentile_bootstrap(
    rows: Ints, weights: Ints, statistic: Statistic, *, resamples: int, seed: int
) -> Interval:
    """Give the 2.5 and 97.5 percentiles of draws of sum(weights) items with replacement.

    One draw is a multinomial one over the rows. The statistic must be defined for every draw.
    """
    generator = np.random.default_rng(seed)
    total = int(weights.sum())
    values = [
        statistic(rows, generator.multinomial(total, weights / total, size=size).astype(float))
        for size in _blocks(resamples, len(rows))
    ]
    if not values:
        return Interval(None, None)
    low, high = np.quantile(np.concatenate(values), _QUANTILES, method="weibull")
    return Interval(float(low), float(high))


def agreement_interval(
    rows: Ints, weights: Ints, statistic: Statistic, *, value: float, resamples: int, seed: int
) -> Interval:
    """Give a 95 % interval of the agreement in the population that the items come from.

    `rows` are counts of ratings by category, with at least two categories in all and one row of
    two or more ratings; `value` is the estimate, which the interval always holds.

    A draw weights each row by a gamma variable whose shape is the number of its items (Rubin
    1981, "The Bayesian bootstrap"). Such draws know only rows that were seen: if all reviewers
    agreed on every item, so would they in all draws. So the draws are also taken with items that
    were not seen but could have been (Walley 1996, "Inferences from multinomial data"). The low
    end is the lowest one of the draws without them, with `SLIPS` items in which one reviewer
    differs from the others, and with `SCATTERED` items in which all differ as far as they can.
    The high end is the higher one of the draws without and with `UNANIMOUS` items in which all
    agree, spread over the categories.
    """
    generator = np.random.default_rng(seed)
    unseen = _unseen(rows, weights)
    every = [np.vstack([rows, kind.rows]) for kind in unseen]
    values: list[list[Floats]] = []
    for size in _blocks(resamples, max(map(len, every))):
        seen = generator.standard_gamma(weights, size=(size, len(weights)))
        draws = (np.hstack([seen, kind.drawn(generator, size)]) for kind in unseen)
        values.append(
            [statistic(*each) for each in zip(every, map(_population, draws), strict=True)]
        )
    if not values:
        return Interval(None, None)
    ends = np.quantile(np.concatenate(values, axis=1), _QUANTILES, axis=1, method="weibull")
    low, high = ends[0, _LOWERING].min(), ends[1, _RAISING].max()
    return Interval(min(value, float(low)), min(1.0, max(value, float(high))))


class _Unseen(NamedTuple):
    """Rows that nobody saw, and how many items each of them counts for."""

    rows: Ints
    shapes: Floats

    def drawn(self, generator: np.random.Generator, size: int) -> Floats:
        return generator.standard_gamma(self.shapes, size=(size, len(self.shapes)))


_LOWERING, _RAISING = [0, 1, 2], [0, 3]
"""The places of `_unseen` that either end is taken from."""


def _unseen(rows: Ints, weights: Ints) -> tuple[_Unseen, _Unseen, _Unseen, _Unseen]:
    """Give nothing, slips, scattered and unanimous items, of the size that most items have.

    In a slip the others agree on a category as often as it was chosen, and the one who differs
    may choose any other. Only the most frequent categories take part, so that many categories
    cost no more.
    """
    totals = weights @ rows
    used = np.argsort(-totals, kind="stable")[: min(_MOST_CATEGORIES, np.count_nonzero(totals))]
    size, units = _common_size(rows, weights), np.eye(rows.shape[1], dtype=np.int64)
    pairs = [(most, other) for most in used for other in used if most != other]
    slips = np.array([(size - 1) * units[most] + units[other] for most, other in pairs])
    shares = np.array([totals[most] for most, _other in pairs], dtype=float)
    scattered = units[np.resize(used, size)].sum(axis=0, keepdims=True)
    return (
        _Unseen(rows[:0], np.empty(0)),
        _Unseen(slips, SLIPS * shares / shares.sum()),
        _Unseen(scattered, np.array([SCATTERED])),
        _Unseen(size * units[used], np.full(len(used), UNANIMOUS / len(used))),
    )


def _common_size(rows: Ints, weights: Ints) -> int:
    sizes = rows.sum(axis=1)
    items = np.bincount(sizes, weights=np.where(sizes > 1, weights, 0))
    return int(len(items) - 1 - items[::-1].argmax())


def _population(draws: Floats) -> Floats:
    """Make shares into the counts of an endless population, which needs no correction for n."""
    shares: Floats = draws / draws.sum(axis=1, keepdims=True)
    return shares * _POPULATION


def _blocks(draws: int, columns: int) -> Iterator[int]:
    """Cut the draws so that memory stays bounded for any number of rows."""
    size = max(1, _CELLS_PER_BLOCK // max(1, columns))
    return (min(size, draws - start) for start in range(0, draws, size))
