"""Data for templates: a preview as the page about opening a round shows it."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from projects.models import Project
from review.labels import finished_on, late_text, person_status, shortage_text, timing_text
from review.previews import Person, RoundPreview


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One line of the table of people; `status` says why somebody may not judge now."""

    user: int
    name: str
    role: str
    subjects: str
    status: str
    items: int


def preview_context(
    project: Project, preview: RoundPreview, *, today: date, due_on: date | None
) -> dict[str, Any]:
    """The people with how much they may judge, and what stands in the way of the round's end.

    `timing` and `late` say how long it takes, and that this is too long.
    """
    names: dict[int, str] = dict(project.subjects.values_list("pk", "name"))
    found = preview.forecast
    words = [shortage_text(each, found, names) for each in found.shortages]
    return {
        "forecast": found,
        "shortages": words,
        "told_shortages": [
            {"code": each.code, "count": each.count, "detail": text}
            for each, text in zip(found.shortages, words, strict=True)
        ],
        "pace": preview.pace,
        "days": preview.days,
        "finished_on": finished_on(preview, today) if preview.days else None,
        "timing": timing_text(preview, today),
        "late": late_text(preview, today, due_on),
        "people": [_person_row(person, preview, names) for person in preview.people],
    }


def _person_row(person: Person, preview: RoundPreview, names: dict[int, str]) -> PersonRow:
    return PersonRow(
        user=person.user,
        name=person.name,
        role=person.role,
        subjects=", ".join(names[pk] for pk in person.subjects),
        status=person_status(person),
        items=preview.forecast.items_for.get(person.user, 0),
    )
