"""Makes items of question–answer pairs with proposed wrong answers, as a model or a person wrote them.

The first three proposals that keep the rules become options; a pair with fewer is left out.
"""

from collections.abc import Sequence
from typing import Final

from annotation.making.base import OPTION_COUNT, Fault, Made, MadeItem, dice_of, with_key
from annotation.making.pairs import WAY, Pair, read_pairs
from languages.folding import fold
from languages.numerals import read_number, write_number
from languages.option_labels import without_labels

VERSION: Final = 1
WRONG_COUNT: Final = OPTION_COUNT - 1
LENGTH_RATIO: Final = 2
FREE_LENGTH: Final = 4
"""A difference of so many characters never gives the answer away."""
_END_MARKS: Final = ".。．།་ ?？,，;；、"
_QUOTES: Final = "\"“”„'‘’«»‹›「」『』《》"


def make_distractors(text: str, *, seed: int) -> Made:
    """Return an item for each pair of a file that has one."""
    pairs, faults = read_pairs(text)
    items: list[MadeItem] = []
    for pair in pairs:
        found = item_of(pair, pair.distractors, seed=seed, proposed_by=pair.model)
        if isinstance(found, str):
            faults.append(Fault(found, pair.line))
        else:
            items.append(found)
    return Made(items, sorted(faults, key=lambda fault: fault.line))


def item_of(pair: Pair, proposals: Sequence[str], *, seed: int, proposed_by: str) -> MadeItem | str:
    """Return the item of a pair, or the code of the reason why there is none."""
    if not proposals:
        return "no_proposals"
    wrong = chosen_of(pair.answer, without_labels(proposals))
    if len(wrong) < WRONG_COUNT:
        return "too_few_proposals"
    options, key = with_key(pair.answer, wrong, dice_of(WAY, pair.question, seed))
    by = f", proposed by {proposed_by}" if proposed_by else ""
    recipe = f"{WAY} {VERSION}, seed {seed}{by}"
    return MadeItem(pair.uid, pair.question, options, key, recipe, pair.subject)


def chosen_of(answer: str, proposals: Sequence[str]) -> list[str]:
    """Return the first three proposals that are of like length, distinct, and not the answer."""
    seen = {compared(answer), ""}
    chosen: list[str] = []
    for text in map(str.strip, proposals):
        if compared(text) not in seen and is_of_like_length(text, answer):
            seen.add(compared(text))
            chosen.append(text)
    return chosen[:WRONG_COUNT]


def compared(text: str) -> str:
    """Return an option as it is compared: a number by its value, a text folded, without spaces and outer marks."""
    number = read_number(text.strip())
    if number is not None:
        return write_number(number)
    plain = "".join(fold(text).casefold().split())
    return plain.rstrip(_END_MARKS + _QUOTES).lstrip(_QUOTES)


def is_of_like_length(text: str, answer: str) -> bool:
    """Return whether the longer text has at most twice the characters of the other, or 4 more."""
    short, long = sorted((len(text), len(answer)))
    return long <= LENGTH_RATIO * short or long - short <= FREE_LENGTH
