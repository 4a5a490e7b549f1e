"""What a team learns of the scores of its submissions: little enough that nobody can climb on noise.

The ladder of Blum and Hardt (2015, “The Ladder: a reliable leaderboard for machine learning
competitions”): a better score is told only if it beats the best one by more than noise; otherwise a
team hears that it is not better. Theirs takes the noise from the losses. Here it is that of the
difference of two independent shares of `n` items at its largest (each share 1/2), times a quantile
that grows with the number of requests, since the luckiest of many is luckier:

    step(n, k) = max(1.96, √(2 ln k)) · √(1 / 2n)

What is told is rounded. Two submissions that differ in few answers are told the same.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import ne

QUANTILE = 1.96
MOST_SHARE_TOLD = 0.05
"""The share of the information in all keys that a team may learn at most."""
ALWAYS_TOLD_BITS = 64.0
"""What a team may learn of a part however small it is; less would not be a score."""
_NICE = (5, 2, 1)


def step_of(n: int, request: int = 1) -> float:
    """Return by how much a share of `n` items must beat the best one to be told.

    `request` counts the team's submissions from 1.
    """
    quantile = max(QUANTILE, math.sqrt(2 * math.log(request)))
    return quantile * math.sqrt(0.5 / n)


def is_climb(correct: int, best: int | None, n: int, request: int) -> bool:
    """Return whether `correct` of `n` is told to a team whose best is `best`."""
    return best is None or correct > best + step_of(n, request) * n


@lru_cache(maxsize=1000)
def unit_of(n: int) -> float:
    """Return what shares of `n` items are rounded to: 1, 2 or 5 times a power of ten, half a step at most."""
    half = step_of(n) / 2
    power = 10.0 ** math.floor(math.log10(half))
    return next(nice * power for nice in _NICE if nice * power <= half)


def rounded(correct: int, n: int) -> float:
    """Return the share as it is told."""
    unit = unit_of(n)
    return min(1.0, round(round(correct / n / unit) * unit, 10))


def few(n: int) -> int:
    """Return in how many answers two submissions may differ and still be told the same."""
    return math.floor(step_of(n) * n)


def tellable(sizes: Mapping[str, int], n: int, fewest: int) -> dict[str, int]:
    """Return the groups of `n` items of which figures may be told: those of at least `fewest`.

    If fewer are left out in all, the smallest group is left out too: the total would tell of them.
    """
    told = {name: size for name, size in sizes.items() if name and size >= fewest}
    if told and 0 < n - sum(told.values()) < fewest:
        del told[min(told, key=lambda name: told[name])]
    return told


def difference(answers: Sequence[str], others: Sequence[str]) -> int:
    """Return in how many answers two submissions differ, item by item."""
    return sum(map(ne, answers, others))


def is_near(answers: Sequence[str], others: Sequence[str], n: int) -> bool:
    """Return whether two submissions to `n` items differ in so few answers that they are told the same.

    Answers of several epochs follow each other, epoch by epoch. Two items then differ by the total
    variation distance of their answers, which their scores cannot exceed.
    """
    bound = few(n)
    if len(answers) == len(others) == n:
        return difference(answers, others) <= bound
    total = Fraction(0)
    for item in range(n):
        total += _distance(answers[item::n], others[item::n])
        if total > bound:
            return False
    return True


def _distance(answers: Sequence[str], others: Sequence[str]) -> Fraction:
    """Return the share of the answers to an item that differ, in whatever order they came."""
    if set(answers) == set(others) and len(set(answers)) == 1:
        return Fraction(0)
    one, two = Counter(answers), Counter(others)
    return Fraction(1) - sum(
        min(Fraction(count, len(answers)), Fraction(two[answer], len(others)))
        for answer, count in one.items()
    )


def key_bits(option_counts: Sequence[int]) -> float:
    """Return the information in all keys; of an item without options, a number, as of ten options."""
    return math.fsum(math.log2(count or 10) for count in option_counts)


def told_bits(
    *,
    requests: int,
    climbs: int,
    tellings: int,
    n: int,
    categories: Mapping[str, int],
    contacts: int = 0,
) -> float:
    """Return at most how many bits a team has been told by `requests` answers of the ladder.

    Which of the requests climbed: log2 of the ways to choose them. What each of the `tellings` of a
    climb told, one or more as keys were corrected: log2 of the number of rounded values, of the
    score and of each category told with it (name → items). A first contact tells one bit: whether
    the others were asked.
    """
    if not requests:
        return float(contacts)
    each = _value_bits(n) + math.fsum(_value_bits(size) for size in categories.values())
    return math.log2(math.comb(requests, climbs)) + tellings * each + contacts


def most_bits(option_counts: Sequence[int]) -> float:
    """Return how many bits a team may be told before it is refused."""
    return max(ALWAYS_TOLD_BITS, MOST_SHARE_TOLD * key_bits(option_counts))


def _value_bits(n: int) -> float:
    return math.log2(math.floor(1 / unit_of(n)) + 1)
