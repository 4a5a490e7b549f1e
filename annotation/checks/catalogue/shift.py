"""Options that moved by one because their labels stand after their texts."""

import math
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue.base import Check, CheckInput, Problem
from annotation.checks.catalogue.likeness import LIKELY, shift_score
from annotation.checks.catalogue.tokens import kept
from annotation.importers.labels import gettext_noop as _
from languages import get_language
from languages.chatter import PLACEHOLDER

_OPENING: Final = frozenset("(（[【［")
_BRACKETS: Final = "()（）[]【】［］"
_FEWEST: Final = 3
_CLEARLY: Final = math.log(3)


class ShiftedOptions(Check):
    """Every option holds the text of the next one, so that the key means a wrong option.

    In `Q text A (A) text B (B) …` each label stands after its text. Read as labels before their
    texts, the question swallows option A and the last option is empty or what follows.
    """

    code = "options_shifted"
    severity = "error"
    family = "structure"
    title = _("Options shifted by one")
    sentence = _("The options may be shifted by one: %(why)s.")
    reasons = MappingProxyType(
        {
            "label_brackets": _("each text ends with the opening bracket of the next label"),
            "last_option_bare": _(
                "the last option has no words, so the labels probably stand after their options"
            ),
            "lengths_shifted": _(
                "each text ends with the opening bracket of the next label, and its length fits the "
                "next option"
            ),
            "next_option_fits": _(
                "lengths and shared words fit the next option of the source better, so compare "
                "option A with the source"
            ),
            "next_option_kept": _(
                "each option has the numbers, formulas or terms of the next option in the source"
            ),
        }
    )
    moves_options = True
    explains = frozenset({"empty_text", "label_in_text", "options_exchanged"})
    why = _(
        "Some texts put each label *after* its option: `… Paris (A) Rome (B) Oslo (C) Bern "
        "(D)`. Read as if the labels came first, the question swallows option A, every "
        "option holds the text of the next one, and the key points to a wrong option.\n\nThe "
        "finding is an error if the last option has no words, if each option has the "
        "numbers, formulas or terms of the next option in the source, or if every text ends "
        "with an opening bracket and its length fits the next option. Numbers, formulas, "
        "terms and brackets are then not compared option by option, because they would only "
        "repeat the same cause."
    )
    faulty = _(
        "`…is Paris (⏎A. Rome (⏎B. Oslo (⏎C. Bern (⏎D. )` gives the options `Rome (`, `Oslo "
        "(`, `Bern (` and `)`."
    )
    sound = _(
        "`…is⏎A. Paris⏎B. Rome⏎C. Oslo⏎D. Bern` gives the options Paris, Rome, Oslo and Bern."
    )
    fix = _(
        "Compare option A with the source. If the end of the question is really option A, "
        "move every text back by one and remove the brackets. If the options are in place, "
        "only remove the brackets."
    )
    when_wrong = _(
        "The finding is a warning where only brackets, or only lengths and shared words, "
        "suggest a shift. A translation is about as many times as long as its source in "
        "every field, and options that share words in the source share words in the "
        "translation. One text with a Latin word or a number of its own option is enough for "
        "silence. Of 474 published items whose texts were moved by one, this finds 280 to "
        "380, depending on the last option; it is silent on all 474 as they were published."
    )

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
    """Return whether all texts but the last end in an opening bracket of the next label."""
    if given.question.rstrip()[-1:] not in _OPENING or not given.is_readable:
        return False
    texts = given.options[:-1]
    return len(given.options) >= _FEWEST and all(text.rstrip()[-1:] in _OPENING for text in texts)


def is_hollow(given: CheckInput, position: int) -> bool:
    """Return whether an option has only marks and brackets where the source has a word or number."""
    option = given.options[position]
    if option[:1].isalnum() or not given.is_readable or _has_word(option):
        return False
    marks = get_language(given.target_language).idle_ending
    return not option.strip(f"{marks}{_BRACKETS} \n\t") and _has_word(
        given.source_options[position]
    )


def is_placeholder(given: CheckInput, position: int) -> bool:
    """Return whether an option only says that there is none: null, N/A, Option B; “None” may be English."""
    option = given.options[position]
    if not option.isascii() or not given.is_readable or not PLACEHOLDER.fullmatch(option.strip()):
        return False
    is_latin = get_language(given.target_language).script == "Latin"
    return not is_latin and not PLACEHOLDER.fullmatch(given.source_options[position].strip())


def is_shifted(given: CheckInput) -> bool:
    """Return whether the options are certainly shifted, so that comparing them says nothing."""
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
    """Return whether each option has the numbers, formulas and terms of the source's next option."""
    seen: set[tuple[str, ...]] = set()
    for source, target in zip(given.source_options[1:], given.options[:-1], strict=True):
        wanted = kept(source)
        if not wanted or wanted in seen or wanted != kept(target):
            return False
        seen.add(wanted)
    return True


def _fits_shifted(given: CheckInput) -> float:
    """Say how much better the lengths fit if every text belongs to the option after; above 0 better.

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
