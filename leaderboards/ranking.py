"""Order entries by their share, and say which ranks are compatible with the noise.

An entry is clearly better than another if the 95 % interval of the difference of their shares does
not reach 0 (Newcombe 1998, method 10: from the Wilson intervals of both). Its best rank is one more
than the number of those that are clearly better, its worst the number of all less those that are
clearly worse. Both are for independent samples, so for models that answer the same items they are
rather too wide than too narrow.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common.intervals import wilson_interval


@dataclass(frozen=True, slots=True)
class Measured:
    """A share of `n` items."""

    share: float
    n: int


def rank_ranges(entries: Sequence[Measured]) -> list[tuple[int, int]]:
    """Return (best, worst) rank of each entry; equal entries, which are compared once, have equal ranges."""
    alike = Counter(entries)
    if not alike:
        return []
    counts = np.array([*alike.values()])
    intervals = [wilson_interval(each.share * each.n, each.n) for each in alike]
    shares = np.array([each.share for each in alike])
    below = shares - np.array([each.low for each in intervals])
    above = np.array([each.high for each in intervals]) - shares
    differences = shares[:, None] - shares[None, :]
    margins = np.sqrt(below[:, None] ** 2 + above[None, :] ** 2)
    is_better = (differences > 0) & (differences > margins)
    best = 1 + counts @ is_better
    worst = len(entries) - is_better @ counts
    ranges = dict(zip(alike, zip(best.tolist(), worst.tolist(), strict=True), strict=True))
    return [ranges[each] for each in entries]


def difference_interval(first: Measured, second: Measured) -> tuple[float, float]:
    """Return the 95 % interval of the first share less the second (Newcombe 1998, method 10)."""
    one = wilson_interval(first.share * first.n, first.n)
    two = wilson_interval(second.share * second.n, second.n)
    difference = first.share - second.share
    below = math.hypot(first.share - one.low, two.high - second.share)
    above = math.hypot(one.high - first.share, second.share - two.low)
    return difference - below, difference + above
