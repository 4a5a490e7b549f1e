"""The criteria that reviewers rate a text by: those of a new project, and how a project keeps its own.

Forms, the API, tallies, figures, tables, charts, reports and the simulation follow the criteria of
the project. Their order is the order of the digits in a tally.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MOST_CRITERIA = 5
HIGHEST = 9
"""A rating is one key on the keyboard and one character of a tally."""
SHORTCUTS = ("D", "C", "Y", "Z", "")
"""Letters that no other action of the workbench has; one criterion is reached by the digits alone."""

RESERVED_NAMES = frozenset(
    {
        # fields of the forms of judging and columns of exports
        *("id", "project", "item", "round", "revision", "reviewer", "verdict", "ratings", "tags"),
        *("comment", "correction", "active_seconds", "revealed_after", "submitted_at"),
        *("numbers_confirmed", "assignment", "idempotency_key", "question", "option", "text"),
        *("outcome", "fate", "accepted", "reason", "system", "place", "is_approved", "rank"),
        *("choice", "token", "shown", "approve", "again", "answer", "explanation"),
        # actions of the keyboard map, and figures of verdicts
        *("revise", "reject", "diff", "guideline", "reveal", "repair", "skip", "undo", "find"),
        *("similar", "propose", "tag", "verdicts"),
    }
)


def _(text: str) -> str:
    """Mark a text for the catalogue; it is translated where it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class Criterion:
    """Something that reviewers rate with a whole number from `lowest` to `highest`.

    `name` stands in the API, in form fields and in the names of figures. `rubric` is what the first
    guideline says: one text a rating, the lowest first, or one text about all of them. `shortcut`
    is the key of the workbench.
    """

    name: str
    label: str
    short_label: str
    shortcut: str
    rubric: tuple[str, ...]
    lowest: int = 0
    highest: int = 5

    @property
    def scale(self) -> range:
        return range(self.lowest, self.highest + 1)

    @property
    def span(self) -> int:
        """The largest difference that two ratings can have."""
        return self.highest - self.lowest

    def as_json(self) -> dict[str, Any]:
        """Give what a project stores, and what the API gives and takes."""
        return {
            "name": self.name,
            "label": self.label,
            "short_label": self.short_label,
            "lowest": self.lowest,
            "highest": self.highest,
            "rubric": list(self.rubric),
        }


Criteria = tuple[Criterion, ...]

DEFAULT_CRITERIA: Criteria = (
    Criterion(
        name="domain",
        label=_("Domain alignment"),
        short_label=_("Domain"),
        shortcut="D",
        rubric=(
            _("A different subject altogether; you cannot recognise the question."),
            _("Key terms are wrong; they would mislead an expert."),
            _("Several terms are wrong or made up; you can guess the meaning."),
            _("The main terms are right; some are loose, inconsistent or unusual."),
            _("The terms are right and in use; one could be more usual."),
            _("Exactly the terms that an expert in the field would use."),
        ),
    ),
    Criterion(
        name="cultural",
        label=_("Cultural alignment"),
        short_label=_("Culture"),
        shortcut="C",
        rubric=(
            _("Offensive, or meaningless to a speaker of the language."),
            _("Foreign throughout: names, units and customs appear without explanation."),
            _(
                "You can understand it, but it is plainly a translation; some phrases do not exist in the language."
            ),
            _("Mostly natural; a few phrases or references are foreign."),
            _("Natural; one phrase gives it away as a translation."),
            _("Reads as if it had been written in the language."),
        ),
    ),
)
DEFAULT_NAMES = tuple(criterion.name for criterion in DEFAULT_CRITERIA)


@lru_cache(maxsize=256)
def read_criteria(stored: str) -> Criteria:
    """The criteria that `stored_criteria` wrote; empty are those of a new project."""
    if not stored:
        return DEFAULT_CRITERIA
    return tuple(
        Criterion(
            **{**each, "rubric": tuple(each["rubric"])},
            shortcut=shortcut,
        )
        for each, shortcut in zip(json.loads(stored), SHORTCUTS, strict=False)
    )


def stored_criteria(criteria: Sequence[Criterion]) -> str:
    """The text that a project keeps; those of a new project are none, so that they are translated."""
    if tuple(criteria) == DEFAULT_CRITERIA:
        return ""
    return json.dumps([each.as_json() for each in criteria], ensure_ascii=False)


def names_of(criteria: Sequence[Criterion]) -> tuple[str, ...]:
    return tuple(each.name for each in criteria)


def criterion_of(criteria: Sequence[Criterion], name: str) -> Criterion:
    return next(each for each in criteria if each.name == name)


def widest_span(criteria: Sequence[Criterion]) -> int:
    """The largest gap between two ratings of one criterion that there can be."""
    return max(each.span for each in criteria)


def common_scale(criteria: Sequence[Criterion]) -> range:
    """Every rating that some criterion has."""
    return range(min(each.lowest for each in criteria), max(each.highest for each in criteria) + 1)
