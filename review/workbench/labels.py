"""Labels for ratings and tags, in the user's language."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from projects.criteria import Criterion
from review.enums import ErrorTag
from review.guidelines.labels import criterion_label, levels_of

# Letters that neither the verdicts, the criteria nor the page's other keys use.
TAG_KEYS = {
    ErrorTag.ACCURACY: "I",
    ErrorTag.TERMINOLOGY: "N",
    ErrorTag.GRAMMAR: "X",
    ErrorTag.REGISTER: "L",
    ErrorTag.CULTURE: "H",
    ErrorTag.STRUCTURE: "B",
    ErrorTag.WRONG_KEY: "K",
    ErrorTag.NOT_ANSWERABLE: "Q",
    ErrorTag.DUPLICATE: "P",
}


class RatingField(NamedTuple):
    """One criterion as a form shows it; `levels` pairs each rating with what it means.

    `about` is one text about all ratings, where the single ones have none.
    """

    name: str
    criterion: str
    title: str
    shortcut: str
    levels: Sequence[tuple[int, str]]
    about: str
    chosen: int | None
    lowest: int
    highest: int


def rating_fields(
    criteria: Sequence[Criterion], rubric: Mapping[str, Sequence[str]], values: Mapping[str, Any]
) -> list[RatingField]:
    """The fields of a judgement's ratings: what each rating means and which one is chosen."""
    return [rating_field(each, each.name, rubric, values.get(each.name)) for each in criteria]


def typed_rating(text: str) -> int | None:
    """What was typed or chosen for a rating, to show it again; None where that is no number."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) == 1 else None


def rating_field(
    criterion: Criterion, name: str, rubric: Mapping[str, Sequence[str]], chosen: int | None
) -> RatingField:
    """The field of one rating, called `name` in its form."""
    levels, about = levels_of(criterion, rubric)
    return RatingField(
        name=name,
        criterion=criterion.name,
        title=criterion_label(criterion),
        shortcut=criterion.shortcut,
        levels=levels,
        about=about,
        chosen=chosen,
        lowest=criterion.lowest,
        highest=criterion.highest,
    )


def tag_fields() -> list[tuple[str, str, str]]:
    """Each error tag with its label and the key of the workbench that sets it."""
    return [(tag.value, str(tag.label), TAG_KEYS[tag]) for tag in ErrorTag]
