"""Marks: orders of options by which a leaked question names the team whose endpoint was asked it.

About one item in twenty is marked for a team, and is asked with its options in an order of the
team's own. Both follow from the team's secret and the item alone, so nothing is stored, and every
submission and version has the same. The order of a marked item of *m* options is drawn evenly among
the *m*! - 1 that are not the released one. Who does not know the secret can't depend on it, so
whatever order a text has that does not come from the team, it is the team's with the probability
1 / (*m*! - 1) at most, independently of the other items. How many are then has a Poisson binomial
distribution.
"""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import factorial

from languages.letters import LETTERS, MAX_OPTIONS, letters_of
from languages.option_names import names_options
from submissions.false_keys import chance_of

ONE_IN = 20
"""One item in so many is marked."""
FEWEST_OPTIONS = 3
"""Two options have one other order, which says little and would be expected."""
_CHOICE_BYTES = 8
"""Of the digest, so many bytes say whether an item is marked, and the others the order."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Question and options of an item in a language."""

    question: str
    options: Sequence[str]
    language: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A marked item as a team was asked it: the team's order, and the orders that a text has it in."""

    order: str
    found: Collection[str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of `found` marked items of a team in a text, so many stand in the team's order.

    `chance` is the probability that as many do in a text that does not come from the team.
    """

    found: int
    matched: int
    chance: float


def new_secret() -> str:
    """Return a secret for a team."""
    return secrets.token_hex(32)


def marked_order(secret: str, item: int, option_count: int) -> str:
    """Return the order of options in which a team is asked an item, empty for the released one.

    At place A of an order such as "CADB" stands what the release calls C.
    """
    if not FEWEST_OPTIONS <= option_count <= MAX_OPTIONS:
        return ""
    digest = hmac.digest(secret.encode(), f"mark:{item}".encode(), hashlib.sha256)
    if int.from_bytes(digest[:_CHOICE_BYTES]) % ONE_IN:
        return ""
    drawn = int.from_bytes(digest[_CHOICE_BYTES:]) % (factorial(option_count) - 1)
    return _order(drawn + 1, option_count)


def can_move(wordings: Iterable[Wording]) -> bool:
    """Return whether options may be moved: all are different, and none is named by letter or place."""
    return all(
        len(set(each.options)) == len(each.options)
        and not names_options(each.question, each.options, each.language)
        for each in wordings
    )


def released_letter(letter: str, order: str) -> str:
    """Return what the release calls the option that was asked as `letter` in this order."""
    return order[LETTERS.index(letter)] if order and letter else letter


def weigh(items: Iterable[Sequence[Seen]], *, teams: int) -> Evidence:
    """Return how many of a team's marked items a text has in the team's order, and the chance of it.

    An item may have been asked in several wordings, which count once. One that the text has in
    several orders has as many chances; the released order is never the team's. The chance is
    multiplied by the number of `teams` that were tried (Bonferroni).
    """
    known = list(items)
    matched = sum(any(seen.order in seen.found for seen in item) for item in known)
    chances = [min(1.0, sum(map(_chance, item))) for item in known]
    chance = chance_of(matched, filter(None, chances))
    return Evidence(len(known), matched, min(1.0, chance * teams))


def _chance(seen: Seen) -> float:
    count = len(seen.order)
    others = {*seen.found} - {letters_of(count)}
    return len(others) / (factorial(count) - 1)


def _order(rank: int, count: int) -> str:
    """Return the order at place `rank`, from 0, among all of `count` letters, of which A, B, C… is first."""
    left, order = list(letters_of(count)), []
    for size in range(count, 0, -1):
        place, rank = divmod(rank, factorial(size - 1))
        order.append(left.pop(place))
    return "".join(order)
