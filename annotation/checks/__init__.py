"""Checks that run on every new revision; they know no database and change nothing."""

from typing import Final

from annotation.checks import parity, structure
from annotation.checks.base import Check, CheckInput, Problem

__all__ = ["ALL_CHECKS", "CHECK_VERSION", "Check", "CheckInput", "Problem", "run_checks"]

CHECK_VERSION: Final = 2
ALL_CHECKS: Final[tuple[Check, ...]] = (*structure.CHECKS, *parity.CHECKS)


def run_checks(given: CheckInput) -> list[Problem]:
    """Return every problem of a revision in the order of the checks, always the same list.

    `CHECK_VERSION` rises when a check finds other things in the same text.
    """
    return [problem for check in ALL_CHECKS for problem in check.run(given)]
