"""Data for templates: the preview of a round, and the rows of a text that is changed by hand."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from annotation.checks.actions import findings_for
from annotation.checks.presenters import in_words, open_findings
from annotation.items.queries import current_revision
from annotation.items.text_rows import TextRow, text_rows
from annotation.models import Item, Revision
from projects.models import Project
from review.labels import finished_on, late_text, person_status, shortage_text, timing_text
from review.outcomes import Correction
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


def edit_rows(item: Item) -> list[TextRow]:
    """The text as it stands, with its open findings."""
    revision = current_revision(item)
    findings = open_findings(revision.pk) if revision else []
    return text_rows(item, revision, findings, option_count=len(item.options))


def checked_rows(item: Item, typed: Correction) -> list[TextRow]:
    """The text as it was typed, with what the checks say of it; nothing is stored."""
    current = current_revision(item)
    key = current.key if current else ""
    text = Revision(question=typed.question, options=list(typed.options), key=key)
    found = findings_for(item=item, revision=text, project=item.project, now=item.created_at)
    return text_rows(item, text, in_words(found), option_count=len(item.options))


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
