"""Makes items of question–answer pairs with proposed wrong answers, as a model or a person wrote them.

The first three proposals that keep the rules become options; a pair with fewer is left out.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.making.base import (
    OPTION_COUNT,
    Made,
    MadeItem,
    dice_of,
    make_each,
    uid_of,
    with_key,
)
from languages.folding import fold
from languages.numerals import read_number, write_number

WAY: Final = "distractors"
VERSION: Final = 1
LENGTH_RATIO: Final = 2
FREE_LENGTH: Final = 4
"""A difference of so many characters never gives the answer away."""
_END_MARKS: Final = ".。．།་ "


def make_distractors(lines: Sequence[str], *, seed: int) -> Made:
    """Return an item for each pair that has one; a line is a JSON object.

    It has `question`, `answer`, `distractors` (a list of texts) and optionally `model`, who proposed.
    """
    return make_each(lines, lambda line: _made(line, seed))


def chosen_of(answer: str, proposals: Sequence[str]) -> list[str]:
    """Return the first three proposals that are of like length, distinct, and not the answer."""
    seen = {compared(answer), ""}
    chosen: list[str] = []
    for text in map(str.strip, proposals):
        if compared(text) not in seen and is_of_like_length(text, answer):
            seen.add(compared(text))
            chosen.append(text)
    return chosen[: OPTION_COUNT - 1]


def compared(text: str) -> str:
    """Return an option as it is compared: a number by its value, a text folded, without spaces."""
    number = read_number(text.strip())
    if number is not None:
        return write_number(number)
    return "".join(fold(text).casefold().split()).rstrip(_END_MARKS)


def is_of_like_length(text: str, answer: str) -> bool:
    """Return whether the longer text has at most twice the characters of the other, or 4 more."""
    short, long = sorted((len(text), len(answer)))
    return long <= LENGTH_RATIO * short or long - short <= FREE_LENGTH


def _made(line: str, seed: int) -> MadeItem | str:
    """Return the item of a pair, or the code of the reason why there is none."""
    pair = _pair(line)
    if pair is None:
        return "no_pair"
    question, answer = str(pair["question"]).strip(), str(pair["answer"]).strip()
    wrong = chosen_of(answer, pair["distractors"])
    if len(wrong) < OPTION_COUNT - 1:
        return "too_few_proposals"
    options, key = with_key(answer, wrong, dice_of(WAY, question, seed))
    model = f", proposed by {pair['model']}" if pair.get("model") else ""
    return MadeItem(
        uid_of(WAY, question), question, options, key, f"{WAY} {VERSION}, seed {seed}{model}"
    )


def _pair(line: str) -> Mapping[str, Any] | None:
    """Return the pair of a line, None if a field is missing or of another kind."""
    try:
        pair = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(pair, dict) or not isinstance(pair.get("distractors"), list):
        return None
    texts = [pair.get("question"), pair.get("answer"), pair.get("model", ""), *pair["distractors"]]
    if not all(isinstance(text, str) for text in texts):
        return None
    return pair if pair["question"].strip() and pair["answer"].strip() else None
