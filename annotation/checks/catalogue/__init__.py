"""Checks that run on every new revision; they know no database and change nothing."""

from dataclasses import replace
from typing import Final

from annotation.checks.catalogue import (
    content,
    cuts,
    damage,
    parity,
    script,
    shift,
    structure,
    terms,
)
from annotation.checks.catalogue.base import Check, CheckInput, Problem
from annotation.checks.catalogue.oddities import has_oddity
from languages import get_language

ALL_CHECKS: Final[tuple[Check, ...]] = (
    *structure.CHECKS,
    *damage.CHECKS,
    *script.CHECKS,
    shift.ShiftedOptions(),
    *parity.CHECKS,
    *cuts.CHECKS,
    *terms.CHECKS,
    *content.CHECKS,
)
_OF_PLAIN_TEXTS: Final = tuple(check for check in ALL_CHECKS if not check.has_odd_sign)
_SEVERAL: Final = 2


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
    said = (given.source_question, *given.source_further)
    question, answer, explanation = ("0" if text else "" for text in said)
    further = (answer, explanation)
    alone = replace(given, source_question=question, source_options=source, source_further=further)
    checks = (check for check in _checks_for(alone) if not check.needs_source)
    return [problem for check in checks for problem in check.run(alone)]


def run_checks(given: CheckInput) -> list[Problem]:
    """Return every problem of a revision in the order of the checks, always the same list."""
    found: list[Problem] = []
    is_moved = False
    for check in _checks_for(given):
        if is_moved and check.compares_fields:
            continue
        problems = list(check.run(given))
        if problems:
            found += problems
            is_moved |= check.moves_options and problems[0].severity == "error"
    return found


def _checks_for(given: CheckInput) -> tuple[Check, ...]:
    """Leave out the checks of odd characters where a quick look finds none."""
    is_odd = has_oddity(given.target_text, get_language(given.target_language))
    return ALL_CHECKS if is_odd else _OF_PLAIN_TEXTS
