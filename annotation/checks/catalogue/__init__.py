"""Checks that run on every new revision; they know no database and change nothing."""

from collections.abc import Container, Iterable, Iterator
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
_OF_NO_LANGUAGE: Final = "und"


def check_text(given: CheckInput) -> list[Problem]:
    """Return every problem of a text, each (code, field, start, end) once.

    Where source and target are one language the text is native, and is checked alone. So is an item
    that asks for a translation, whose fields are in the two languages of its direction: what depends
    on a language is left out.
    """
    if given.kind == "translation":
        given = replace(given, source_language=_OF_NO_LANGUAGE, target_language=_OF_NO_LANGUAGE)
    is_native = given.source_language == given.target_language
    found = check_alone(given) if is_native else run_checks(given)
    if len(found) < _SEVERAL:
        return found
    return list({(p.code, p.field, p.start, p.end): p for p in found}.values())


def first_problem(given: CheckInput, codes: Container[str]) -> Problem | None:
    """Return the first of the problems with these codes that `run_checks` finds, without running the rest."""
    checks = [each for each in _checks_for(given) if each.code in codes or each.moves_options]
    return next((each for each in _run(checks, given) if each.code in codes), None)


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
    return list(_run(_checks_for(given), given))


def _run(checks: Iterable[Check], given: CheckInput) -> Iterator[Problem]:
    is_moved = False
    for check in checks:
        if is_moved and check.compares_fields:
            continue
        problems = list(check.run(given))
        if problems:
            yield from problems
            is_moved |= check.moves_options and problems[0].severity == "error"


def _checks_for(given: CheckInput) -> tuple[Check, ...]:
    """Leave out the checks of odd characters where a quick look finds none."""
    is_odd = has_oddity(given.target_text, get_language(given.target_language))
    return ALL_CHECKS if is_odd else _OF_PLAIN_TEXTS
