"""The criteria that reviewers rate a text by: the only place that names them.

Forms, the API, tallies, figures, tables, charts, reports and the simulation follow `CRITERIA`.
To add a criterion, append it: the order is the order of the digits in a tally.
"""

from collections.abc import Mapping
from dataclasses import dataclass


def _(text: str) -> str:
    """Mark a text for the catalogue; it is translated where it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class Criterion:
    """Something that reviewers rate with a whole number from `lowest` to `highest`.

    `name` stands in the API, in form fields and in the names of figures. `rubric` is what a new
    project says about each rating, the lowest first. `shortcut` is the key of the workbench.
    Ratings have one digit, because a tally keeps one character for each.
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


CRITERIA: tuple[Criterion, ...] = (
    Criterion(
        name="domain",
        label=_("Domain alignment"),
        short_label=_("Domain"),
        shortcut="D",
        rubric=(
            "A different subject altogether; you cannot recognise the question.",
            "Key terms are wrong; they would mislead an expert.",
            "Several terms are wrong or made up; you can guess the meaning.",
            "The main terms are right; some are loose, inconsistent or unusual.",
            "The terms are right and in use; one could be more usual.",
            "Exactly the terms that an expert in the field would use.",
        ),
    ),
    Criterion(
        name="cultural",
        label=_("Cultural alignment"),
        short_label=_("Culture"),
        shortcut="C",
        rubric=(
            "Offensive, or meaningless to a speaker of the language.",
            "Foreign throughout: names, units and customs appear without explanation.",
            "You can understand it, but it is plainly a translation; some phrases do not exist in the language.",
            "Mostly natural; a few phrases or references are foreign.",
            "Natural; one phrase gives it away as a translation.",
            "Reads as if it had been written in the language.",
        ),
    ),
)
BY_NAME: Mapping[str, Criterion] = {criterion.name: criterion for criterion in CRITERIA}
NAMES = tuple(BY_NAME)
