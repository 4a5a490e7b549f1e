"""False keys in a copy of the hidden keys: who answers by them has seen that copy.

The false key of an item is drawn among its wrong options, each as likely, and the draw is secret. So
whatever an honest model prefers, an answer of it that is not the key is the false key with the
probability 1 / (options - 1), independently of the others. How many of its answers follow false keys
then has a Poisson binomial distribution. This needs no assumption about the model or its languages,
and holds for keys that are themselves wrong.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from languages.letters import letters_of

FEWEST_OPTIONS = 3
"""Of two options one is wrong, and every wrong answer follows it."""
LEVEL = 0.001
"""One honest submission in so many is flagged at most."""


@dataclass(frozen=True, slots=True)
class FalseKey:
    """What a copy has for an item instead of its `key`."""

    key: str
    false: str
    option_count: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """How many of `count` false keys are `followed`, by answers of which `wrong` are not the key.

    `chance` is the probability that an honest submission follows as many.
    """

    followed: int
    wrong: int
    count: int
    chance: float


def fewest(option_counts: Iterable[int], *, copies: int = 1) -> int | None:
    """Return how many false keys are enough to find who follows all, whichever items are drawn.

    `option_counts` are those of the items, FEWEST_OPTIONS or more. None if there are too few items.
    """
    chance = float(copies)
    for number, count in enumerate(sorted(option_counts), 1):
        chance /= count - 1
        if chance <= LEVEL:
            return number
    return None


def draw(keys: Mapping[str, tuple[str, int]], count: int, *, random: Random) -> dict[str, FalseKey]:
    """Return a false key for `count` of the items, drawn by `random`.

    `keys` has the key and the number of options of each item, FEWEST_OPTIONS or more.
    """
    found = {}
    for uid in random.sample(sorted(keys), count):
        key, option_count = keys[uid]
        wrong = [letter for letter in letters_of(option_count) if letter != key]
        found[uid] = FalseKey(key, random.choice(wrong), option_count)
    return found


def weigh(
    epochs: Sequence[Mapping[str, str]], false_keys: Mapping[str, FalseKey], *, copies: int = 1
) -> Evidence:
    """Return the strongest evidence of the epochs, each of which has the answers by item.

    The chance is multiplied by the number of epochs and of the `copies` that were tried (Bonferroni).
    Items without an answer do not count.
    """
    found = [_weigh(answers, false_keys) for answers in epochs]
    best = min(found, key=lambda each: each.chance)
    chance = min(1.0, best.chance * len(epochs) * copies)
    return Evidence(best.followed, best.wrong, best.count, chance)


def _weigh(answers: Mapping[str, str], false_keys: Mapping[str, FalseKey]) -> Evidence:
    asked = [(answers[uid], each) for uid, each in false_keys.items() if uid in answers]
    wrong = [(answer, each) for answer, each in asked if answer not in ("", each.key)]
    followed = sum(answer == each.false for answer, each in wrong)
    chances = [1 / (each.option_count - 1) for _answer, each in wrong]
    return Evidence(followed, len(wrong), len(asked), chance_of(followed, chances))


def chance_of(least: int, chances: Iterable[float]) -> float:
    """Return the probability that `least` or more of independent events with these `chances` happen."""
    from scipy.stats import poisson_binom

    known = list(chances)
    if least == 0:
        return 1.0
    # Not 1 - cdf, which is lost in rounding for the small ones that matter.
    return math.fsum(poisson_binom(known).pmf(range(least, len(known) + 1)))
