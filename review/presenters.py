"""Data for templates: a preview as the page about opening a round shows it."""

from dataclasses import dataclass
from typing import Any

from projects.models import Project
from review.labels import person_status, shortage_text
from review.previews import Person, RoundPreview


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One line of the table of people; `status` says why somebody may not judge now."""

    name: str
    role: str
    subjects: str
    status: str
    items: int


def preview_context(project: Project, preview: RoundPreview) -> dict[str, Any]:
    """The people with how much they may judge, and what stands in the way of the round's end."""
    names: dict[int, str] = dict(project.subjects.values_list("pk", "name"))
    found = preview.forecast
    return {
        "forecast": found,
        "shortages": [shortage_text(each, found, names) for each in found.shortages],
        "people": [_person_row(person, preview, names) for person in preview.people],
    }


def _person_row(person: Person, preview: RoundPreview, names: dict[int, str]) -> PersonRow:
    return PersonRow(
        name=person.name,
        role=person.role,
        subjects=", ".join(names[pk] for pk in person.subjects),
        status=person_status(person),
        items=preview.forecast.items_for.get(person.user, 0),
    )
