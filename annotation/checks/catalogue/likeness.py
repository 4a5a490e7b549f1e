"""Scores how much better each text fits the next option of the source than its own.

No rule knows what words of two languages mean, but a translation is about as many times as long as
its source in every field, options that share words in the source share words in the translation
too, and Latin words and numbers stay as they are. One option says little; all of them together
often say enough.
"""

import math
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import combinations
from operator import mul
from typing import Final

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.numbers import numbers
from annotation.checks.catalogue.tokens import in_plain_math
from languages import get_language
from languages.units import units_of

LIKELY: Final = 4.0
"""From this score on, texts are taken for shifted: all of 474 published items are below 3.1."""

# Of the logarithm of the ratio of two lengths, measured on published translations into Tibetan: the
# variance of a long text, and what a short one of so many characters adds to it.
_VARIANCE: Final = 0.01
_VARIANCE_OF_SHORT: Final = 0.49
_FEWEST_OF_TAIL: Final = 4
# How likeness and signs weigh against lengths, which come as logarithms of likelihood.
_OF_LAST_LENGTH: Final = 0.5
_OF_LIKENESS: Final = 4.0
_OF_LAST_LIKENESS: Final = 2.0
_OF_SIGN: Final = 3.0
_STRANGERS: Final = 0.05
_LENGTHS_AGAINST: Final = -0.5
_SIGN: Final = re.compile(r"[A-Za-z]+|[\u2460-\u2473]|[\u0391-\u03c9]+")


def shift_score(given: CheckInput) -> float:
    """Say how much better the texts fit the options after theirs, as a logarithm of likelihood.

    Above 0 they fit better; `LIKELY` is far above. The options must be readable and at least three.
    What costs more is looked at only where the score may still become `LIKELY`.
    """
    source = [in_plain_math(text) for text in (given.source_question, *given.source_options)]
    target = [in_plain_math(text) for text in (given.question, *given.options)]
    score, ratio = _by_lengths(list(map(length_of, source)), list(map(length_of, target)))
    if score <= _LENGTHS_AGAINST:
        return score
    score += _by_likeness(given, source, target, ratio)
    if score + _OF_SIGN * len(given.options) < LIKELY:
        return score
    return score + _by_signs(source[1:], target[1:])


def length_of(text: str) -> int:
    return len(text) - text.count(" ")


def _by_lengths(source: Sequence[int], target: Sequence[int]) -> tuple[float, float]:
    """Return the score of the lengths, and the logarithm of the ratio if the texts are shifted.

    Read as shifted, the question holds option A as well, and the last text is nobody's.
    """
    straight, own_ratio = misfit(source[:-1], target[:-1])
    shifted, ratio = misfit([source[0] + source[1], *source[2:]], target[:-1])
    variance = variance_of(source[-1])
    off = (log_ratio(source[-1], target[-1]) - own_ratio) ** 2
    last = (off / variance + math.log(variance) - off) / 2
    return straight - shifted + _OF_LAST_LENGTH * last, ratio


def misfit(source: Sequence[int], target: Sequence[int]) -> tuple[float, float]:
    """Return how unlikely such lengths are in a translation, and the logarithm of their common ratio."""
    weights = list(map(_weight_of, source))
    ratios = list(map(log_ratio, source, target))
    mean = sum(map(mul, weights, ratios)) / sum(weights)
    off = [(ratio - mean) ** 2 for ratio in ratios]
    cost = sum(map(mul, weights, off)) - sum(map(math.log, weights))
    return cost / 2, mean


@lru_cache(maxsize=1024)
def _weight_of(length: int) -> float:
    return 1 / variance_of(length)


def variance_of(length: int) -> float:
    return _VARIANCE + _VARIANCE_OF_SHORT / max(length, 1)


def log_ratio(source: int, target: int) -> float:
    return math.log((target + 1) / (source + 1))


def _by_signs(source: Sequence[str], target: Sequence[str]) -> float:
    """Score texts that hold what only the next option holds; one that holds its own decides."""
    wanted, found = list(map(signs_of, source)), list(map(signs_of, target))
    own = any((wanted[at] - wanted[at + 1]) & found[at] for at in range(len(source) - 1))
    if own or (wanted[-1] - wanted[-2]) & found[-1]:
        return -math.inf
    following = [(wanted[at + 1] - wanted[at]) & found[at] for at in range(len(source) - 1)]
    return _OF_SIGN * sum(map(bool, following))


def signs_of(text: str) -> set[str]:
    """Return what no translation changes: Latin words, Greek letters, numbers, circled ones too."""
    return {*_SIGN.findall(text), *numbers(text)}


def _by_likeness(
    given: CheckInput, source: Sequence[str], target: Sequence[str], ratio: float
) -> float:
    """Score which options share words: those of the same places, or those of the places after.

    The end of the question, as long as option A would be there, is compared as a text as well.
    """
    language, other = get_language(given.source_language), get_language(given.target_language)
    end = max(_FEWEST_OF_TAIL, round(length_of(source[1]) * math.exp(ratio)))
    own = [set(units_of(text, language)) for text in (source[0][-len(source[1]) :], *source[1:])]
    texts = [set(units_of(text, other)) for text in (target[0][-end:], *target[1:])]
    score = 0.0
    for one, two in combinations(range(len(texts) - 1), 2):
        likeness = shared_part(texts[one], texts[two])
        straight, shifted = shared_part(own[one], own[two]), shared_part(own[one + 1], own[two + 1])
        score += _OF_LIKENESS * ((likeness - straight) ** 2 - (likeness - shifted) ** 2)
    for text, straight_text in zip(texts[1:-1], own[1:-1], strict=True):
        likeness, straight = shared_part(text, texts[-1]), shared_part(straight_text, own[-1])
        score += _OF_LAST_LIKENESS * ((likeness - straight) ** 2 - (likeness - _STRANGERS) ** 2)
    return score


def shared_part(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Return how much of the shorter text is in the other one, from 0 to 1."""
    fewer = min(len(one), len(other))
    return len(one & other) / fewer if fewer else 0.0
