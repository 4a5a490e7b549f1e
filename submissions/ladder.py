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
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import ne

QUANTILE = 1.96
MOST_SHARE_TOLD = 0.05
"""The share of the information in all keys that a team's submissions may tell it at most."""
ALWAYS_TOLD_BITS = 64.0
"""What they may tell of a part however small it is; less would not be a score."""
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


def which_bits(requests: int, climbs: int) -> float:
    """Return the bits in which of the requests climbed: log2 of (k + 1) · C(k, c) without the first.

    The first is always told, so that it was tells nothing. This is the code of Laplace's rule of
    succession: the sum of 2 to the power of minus the bits, over all that may be heard, is 1.
    """
    if not requests:
        return 0.0
    k, c = requests - 1, max(0, climbs - 1)
    return math.log2((k + 1) * math.comb(k, c))


def score_bits(n: int) -> float:
    """Return the bits in a score that is told: log2 of the number of rounded values."""
    return math.log2(math.floor(1 / unit_of(n)) + 1)


def category_bits(sizes: Iterable[int]) -> float:
    """Return the bits in the scores of categories with so many items."""
    return math.fsum(map(score_bits, sizes))


def answer_bits(requests: int, climbs: int, n: int, *, is_climb: bool) -> float:
    """Return the bits in the answer to the next request, after so many requests and climbs.

    The bits of all answers sum up to `which_bits`, and a score for each climb.
    """
    which = which_bits(requests + 1, climbs + is_climb) - which_bits(requests, climbs)
    return which + (score_bits(n) if is_climb else 0.0)


def most_answer_bits(requests: int, climbs: int, n: int, more: int) -> float:
    """Return the most bits that the answers to `more` further requests may tell together."""
    fewest = 1 if more and not requests else 0
    found = [
        which_bits(requests + more, climbs + j) + j * score_bits(n) for j in range(fewest, more + 1)
    ]
    return max(found) - which_bits(requests, climbs)


def scores_left(requests: int, climbs: int, n: int, bits: float) -> int:
    """Return how many further requests may all climb before more than `bits` are told."""
    bound = range(1, max(0, math.floor(bits / score_bits(n))) + 1)
    return bisect_right(bound, bits, key=lambda more: most_answer_bits(requests, climbs, n, more))


def replay(sent: Sequence[tuple[int, bool]], n: int) -> tuple[list[bool], int | None]:
    """Return which submissions of a team are told by other keys, and the best that it is told then.

    `sent` are (right, told before) in the order of its requests. What was told stays told. Of the
    rest, what climbs by the other keys is told, as if they had been the keys from the beginning.
    """
    best: int | None = None
    told = []
    for request, (correct, was_told) in enumerate(sent, 1):
        is_told = was_told or is_climb(correct, best, n, request)
        told.append(is_told)
        if is_told:
            best = correct if best is None else max(best, correct)
    return told, best


def correction_bits(*, before: int, now: int, untold: int, n: int) -> float:
    """Return the bits in the scores of a team by corrected keys, without those of categories.

    Which `now` of the `untold` submissions are told: log2 of (untold + 1) · C(untold, now). And the
    score of each that is told now or was told `before`.
    """
    which = math.log2((untold + 1) * math.comb(untold, now))
    return which + (before + now) * score_bits(n)


def most_bits(option_counts: Sequence[int]) -> float:
    """Return the most bits that a team's own submissions may tell it."""
    return max(ALWAYS_TOLD_BITS, MOST_SHARE_TOLD * key_bits(option_counts))
