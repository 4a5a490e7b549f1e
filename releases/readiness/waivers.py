"""The problems that a manager may waive in one version, and what a waiver covers.

A waiver covers a code and the problems that were there when it was given: a new one of the same
code is in the way again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

WAIVABLE = frozenset({
    "open_errors", "open_duplicates", "licence_conflict", "licence_missing", "licence_unknown",
    "licences_differ", "missing_dev", "missing_category", "wrong_category", "hidden_source_public",
    "simulated_judgements",
})  # fmt: skip
"""Codes of readiness. Disputes, unfit items and what gives tests or hidden items away are not in it."""


@dataclass(frozen=True, slots=True)
class WaiverRequest:
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Waived:
    """The cover of the waivers of one version: problems by code, and the codes that concern a uid."""

    problems: Mapping[str, frozenset[str]] = field(default_factory=dict)
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def rest(self, code: str, problems: Iterable[str]) -> list[str]:
        """Return the problems that no waiver covers, in their order."""
        covered = self.problems.get(code, frozenset())
        return [each for each in problems if each not in covered]


NOTHING_WAIVED = Waived()


def waived_by(rows: Iterable[tuple[str, Sequence[str], Sequence[str]]]) -> Waived:
    """Return what waivers cover, each given as (code, problems, uids of items concerned)."""
    problems: dict[str, frozenset[str]] = {}
    codes: dict[str, tuple[str, ...]] = {}
    for code, covered, uids in sorted(rows):
        problems[code] = frozenset(covered)
        for uid in uids:
            codes[uid] = (*codes.get(uid, ()), code)
    return Waived(problems, codes)
