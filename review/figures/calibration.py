"""Precision and recall of a screen at every threshold of its confidence, against what experts decided."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from common.intervals import Interval, wilson_interval

ROUNDING: Final = 1e-9
"""So that 0.15 lies in the step of 0.15, although 0.15 / 0.05 is a little less than 3."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An opinion on a text that experts judged; `doubt` is 0 where the screen has no doubt."""

    doubt: float
    is_faulty: bool


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval (Wilson's); `value` is None of nothing."""

    count: int
    n: int
    interval: Interval

    @property
    def value(self) -> float | None:
        return self.count / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Point:
    """What a screen finds if only doubts of at least `threshold` count.

    Precision is the share of its doubts that experts found faulty, recall the share of the faulty
    texts that it doubts.
    """

    threshold: float
    precision: Share
    recall: Share


def calibrate(judged: Sequence[Judged]) -> list[Point]:
    """Return a point for each confidence with which a doubt was told, the surest first.

    Between two of them nothing changes, so these are all thresholds that differ.
    """
    doubts = sorted((each for each in judged if each.doubt > 0), key=lambda each: -each.doubt)
    faulty = sum(each.is_faulty for each in judged)
    points: list[Point] = []
    right = 0
    for count, each in enumerate(doubts, start=1):
        right += each.is_faulty
        is_last_of_its_kind = count == len(doubts) or doubts[count].doubt < each.doubt
        if is_last_of_its_kind:
            points.append(Point(each.doubt, _share(right, count), _share(right, faulty)))
    return points


def thinned(points: Sequence[Point], step: float) -> list[Point]:
    """Return at most one point for each step of the threshold from 1 to 0: the last of each."""
    last = {math.floor(point.threshold / step + ROUNDING): point for point in points}
    return list(last.values())


def _share(count: int, n: int) -> Share:
    return Share(count, n, wilson_interval(count, n))
