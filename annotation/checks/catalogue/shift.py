"""Options that moved by one because their labels stand after their texts."""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from annotation.checks.catalogue.base import CheckInput, Problem, Severity
from annotation.checks.catalogue.likeness import LIKELY, shift_score
from annotation.checks.catalogue.tokens import kept
from languages import get_language

_OPENING: Final = frozenset("(（[【［")
_BRACKETS: Final = "()（）[]【】［］"
_FEWEST: Final = 3
_CLEARLY: Final = math.log(3)


class ShiftedOptions:
    """Every option holds the text of the next one, so that the key means a wrong option.

    In `Q text A (A) text B (B) …` each label stands after its text. Read as labels before their
    texts, the question swallows option A and the last option is empty or what follows.
    """

    code: ClassVar[str] = "options_shifted"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for the traces that labels leave, and for the texts of the next options."""
        reason = _reason(given)
        if reason:
            yield Problem(self.code, self.severity, "item", data={"reason": reason})
        elif has_label_brackets(given):
            data = {"reason": "label_brackets"}
            yield Problem(self.code, "warning", "item", data=data)
        elif _may_be_shifted(given) and shift_score(given) > LIKELY:
            yield Problem(self.code, "warning", "item", data={"reason": "next_option_fits"})


def has_label_brackets(given: CheckInput) -> bool:
    """Whether all texts but the last end in an opening bracket that belongs to the next label."""
    if given.question.rstrip()[-1:] not in _OPENING or not given.is_readable:
        return False
    texts = given.options[:-1]
    return len(given.options) >= _FEWEST and all(text.rstrip()[-1:] in _OPENING for text in texts)


def is_hollow(given: CheckInput, position: int) -> bool:
    """Whether an option holds marks and brackets only where the source has a word or number."""
    option = given.options[position]
    if option[:1].isalnum() or not given.is_readable or _has_word(option):
        return False
    marks = get_language(given.target_language).idle_ending
    return not option.strip(f"{marks}{_BRACKETS} \n\t") and _has_word(
        given.source_options[position]
    )


def is_shifted(given: CheckInput) -> bool:
    """Whether the options are shifted for certain, so that comparing them one by one says nothing."""
    return bool(_reason(given))


def _may_be_shifted(given: CheckInput) -> bool:
    return given.is_readable and len(given.options) >= _FEWEST


def _reason(given: CheckInput) -> str:
    if not _may_be_shifted(given):
        return ""
    if is_hollow(given, len(given.options) - 1):
        is_certain = has_label_brackets(given) or _fits_shifted(given) > 0
        return "last_option_bare" if is_certain else ""
    if has_label_brackets(given) and _fits_shifted(given) > _CLEARLY:
        return "lengths_shifted"
    return "next_option_kept" if _keeps_next(given) else ""


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _keeps_next(given: CheckInput) -> bool:
    """Whether each option holds the numbers, formulas and terms of the next option of the source."""
    seen: set[tuple[str, ...]] = set()
    for source, target in zip(given.source_options[1:], given.options[:-1], strict=True):
        wanted = kept(source)
        if not wanted or wanted in seen or wanted != kept(target):
            return False
        seen.add(wanted)
    return True


def _fits_shifted(given: CheckInput) -> float:
    """How much better the lengths fit if every text belongs to the option after; above 0 better.

    A translation is about as many times as long as its source in every text. Compared are the
    variances of the logarithms of that ratio, as a difference of logarithms.
    """
    source = [len(given.source_question), *map(len, given.source_options)]
    target = [len(text.strip().rstrip(_BRACKETS)) for text in (given.question, *given.options)]
    straight = _spread(source[:-1], target[:-1])
    shifted = _spread([source[0] + source[1], *source[2:]], target[:-1])
    return math.log(straight + 0.01) - math.log(shifted + 0.01)


def _spread(source: Sequence[int], target: Sequence[int]) -> float:
    ratios = [math.log((t + 1) / (s + 1)) for s, t in zip(source, target, strict=True)]
    mean = sum(ratios) / len(ratios)
    return sum((ratio - mean) ** 2 for ratio in ratios) / len(ratios)
