"""Checks that run on every new revision; they know no database and change nothing."""

from dataclasses import replace
from typing import Final

from annotation.checks.catalogue import parity, shift, structure, terms
from annotation.checks.catalogue.base import Check, CheckedText, CheckInput, Problem

__all__ = [
    "ALL_CHECKS",
    "ALONE",
    "CHECK_VERSION",
    "Check",
    "CheckInput",
    "CheckedText",
    "Problem",
    "check_alone",
    "check_text",
    "run_checks",
]

CHECK_VERSION: Final = 5
ALL_CHECKS: Final[tuple[Check, ...]] = (
    *structure.CHECKS,
    shift.ShiftedOptions(),
    *parity.CHECKS,
    *terms.CHECKS,
)
# Where options stand in other places, comparing each with its place would say the same thing again.
_SEVERAL: Final = 2
ALONE: Final = frozenset(
    {
        "brackets_unbalanced",
        "empty_text",
        "equal_options",
        "key_out_of_range",
        "label_in_text",
        "letters_spliced",
        "number_unreadable",
        "options_unreadable",
    }
)
"""What a text shows without its source."""
MOVED: Final = frozenset({"options_shifted", "order_changed"})


def check_text(given: CheckInput) -> list[Problem]:
    """Return every problem of a text, each (code, field, start, end) once.

    Where source and target are one language the text is native, and is checked alone.
    """
    is_native = given.source_language == given.target_language
    found = check_alone(given) if is_native else run_checks(given)
    if len(found) < _SEVERAL:
        return found
    return list({(p.code, p.field, p.start, p.end): p for p in found}.values())


def check_alone(given: CheckInput) -> list[Problem]:
    """Return what the text alone can show, beside a source of as many options that says nothing."""
    source = tuple(map(str, range(len(given.options))))
    answer, explanation = ("0" if text else "" for text in given.source_further)
    further = (answer, explanation)
    alone = replace(given, source_question="", source_options=source, source_further=further)
    return [problem for check in ALL_CHECKS if check.code in ALONE for problem in check.run(alone)]


def run_checks(given: CheckInput) -> list[Problem]:
    """Return every problem of a revision in the order of the checks, always the same list.

    `CHECK_VERSION` rises when a check finds other things in the same text.
    """
    found: list[Problem] = []
    is_moved = False
    for check in ALL_CHECKS:
        if is_moved and check.code in parity.COMPARED:
            continue
        problems = list(check.run(given))
        if problems:
            found += problems
            is_moved |= check.code in MOVED and problems[0].severity == "error"
    return found
