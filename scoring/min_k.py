"""Min-k % probability: how much a text surprises a model where it surprises it most.

Shi et al. 2024, Detecting Pretraining Data from Large Language Models (arXiv 2310.16789).
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from common.intervals import CONFIDENCE, Interval, wilson_interval
from scoring.pairs import Floats, mean_of_items, t_quantile

PERCENTS: Final = (5, 10, 20)
TOLERANCE: Final = 0.2
"""By so much of its length a text may be longer or shorter than the one that it is matched with."""


@dataclass(frozen=True, slots=True)
class MinKComparison:
    """Min-k % of items against that of controls, each item with a control of like length.

    difference: the mean of item minus control, with a 95 % interval
    auroc: how often an item has a higher value than a control, ties count half
    """

    pairs: int
    items: float
    controls: float
    difference: float
    interval: Interval | None
    auroc: float
    auroc_interval: Interval


def min_k(logprobs: Sequence[float], percent: int) -> float:
    """Return the mean of the `percent` % lowest log-probabilities of a text's tokens.

    The number of tokens is rounded down, as in the published code, but is at least one. Raises
    ValueError without tokens.
    """
    lowest = sorted(logprobs)[: max(1, len(logprobs) * percent // 100)]
    if not lowest:
        raise ValueError("no token")
    return math.fsum(lowest) / len(lowest)


def match_by_length(wanted: Sequence[int], pool: Sequence[int]) -> list[int | None]:
    """Return for each wanted length the place in the pool of the nearest one, each used once.

    The shortest chooses first. None where nothing is left within TOLERANCE.
    """
    free = sorted((length, place) for place, length in enumerate(pool))
    found: list[int | None] = [None] * len(wanted)
    for at in sorted(range(len(wanted)), key=wanted.__getitem__):
        nearest = _nearest(free, wanted[at])
        if nearest is not None:
            found[at] = free.pop(nearest)[1]
    return found


def compare_min_k(items: Floats, controls: Floats) -> MinKComparison:
    """Compare items with the controls at the same places. Raises ValueError without pairs."""
    mean = mean_of_items(items - controls)
    interval = None
    if mean.standard_error is not None:
        half = t_quantile((1 + CONFIDENCE) / 2, mean.n - 1) * mean.standard_error
        interval = Interval(mean.value - half, mean.value + half)
    area, of_area = auroc(items, controls)
    return MinKComparison(
        pairs=mean.n,
        items=float(items.mean()),
        controls=float(controls.mean()),
        difference=mean.value,
        interval=interval,
        auroc=area,
        auroc_interval=of_area,
    )


def auroc(higher: Floats, lower: Floats) -> tuple[float, Interval]:
    """Return the area under the ROC curve, P(higher > lower) + P(equal) / 2, with its interval.

    The interval is Wilson's with the effective number a (1 − a) / V, at most that of all values, and
    V the variance of DeLong et al. (1988, Biometrics 44:837-845). Raises ValueError without values.
    """
    if not len(higher) or not len(lower):
        raise ValueError("no value")
    of_higher, of_lower = _share_below(higher, lower), 1 - _share_below(lower, higher)
    area = float(of_higher.mean())
    most = effective = float(len(higher) + len(lower))
    if min(len(higher), len(lower)) > 1:
        variance = float(of_higher.var(ddof=1) / len(higher) + of_lower.var(ddof=1) / len(lower))
        effective = min(most, area * (1 - area) / variance) if variance else most
    return area, wilson_interval(area * effective, effective)


def _nearest(free: Sequence[tuple[int, int]], length: int) -> int | None:
    """Return where in `free`, sorted by length, the nearest one stands, if it is near enough."""
    start = bisect_left(free, (length, -1))
    near = [at for at in (start - 1, start) if 0 <= at < len(free)]
    best = min(near, key=lambda at: abs(free[at][0] - length), default=None)
    if best is None or abs(free[best][0] - length) > TOLERANCE * length:
        return None
    return best


def _share_below(values: Floats, others: Floats) -> Floats:
    """Return for each value which share of the others is below it; equal ones count half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, values, side="left")
    return np.asarray((below + np.searchsorted(ordered, values, side="right")) / (2 * len(others)))
