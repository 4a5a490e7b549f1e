"""Rounds for templates: the preview of one, and who is asked."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from projects.templatetags.languages import language_name
from review.audience import Audience
from review.models import Round
from review.rounds.labels import (
    finished_on,
    late_text,
    left_out_text,
    person_status,
    senior_text,
    shortage_text,
    timing_text,
)
from review.rounds.previews import Person, RoundPreview


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One line of the table of people; `status` says why somebody may not judge now."""

    user: int
    name: str
    role: str
    subjects: str
    status: str
    items: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a round asks, in words; names and control items only for readers who may know them."""

    roles: str
    languages: SafeString
    excluded: str
    needs_expert: bool
    control_percent: int | None
    substitute: str = ""


def asked_words(user: User, round_: Round) -> Asked:
    """Whom `round_` asks, as `user` may know it: reviewers learn neither names nor of controls."""
    project, audience = round_.project, Audience.from_json(round_.audience)
    names: list[str] = []
    if audience.excluded and user.has_perm("projects.view_members", project):
        people = User.objects.filter(pk__in=audience.excluded).order_by("name", "pk")
        names = [str(person) for person in people]
    is_told = bool(round_.control_percent) and user.has_perm("review.open_round", project)
    return Asked(
        roles=_roles_text(audience),
        languages=format_html_join(", ", "{}", ((language_name(c),) for c in audience.languages)),
        excluded=", ".join(names),
        needs_expert=audience.needs_expert,
        control_percent=round_.control_percent if is_told else None,
        substitute=_substitute_name(user, round_),
    )


def _substitute_name(user: User, round_: Round) -> str:
    is_told = round_.substitute and user.has_perm("projects.view_members", round_.project)
    return str(round_.substitute) if is_told else ""


def _roles_text(audience: Audience) -> str:
    if set(audience.roles) == {Role.REVIEWER}:
        return _("Reviewers, not seniors")
    if set(audience.roles) == {Role.SENIOR}:
        return _("Seniors, not reviewers")
    return _("Reviewers and seniors")


def preview_context(
    project: Project, preview: RoundPreview, *, today: date, due_on: date | None
) -> dict[str, Any]:
    """The people with how much they may judge, and what stands in the way of the round's end.

    `timing` and `late` say how long it takes, and that this is too long; `no_senior` that a dispute
    may come up that nobody can settle.
    """
    names: dict[int, str] = dict(project.subjects.values_list("pk", "name"))
    found = preview.forecast
    words = [shortage_text(each, preview, names) for each in found.shortages]
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
        "no_senior": senior_text(preview),
        "left_out": preview.left_out,
        "left_out_text": left_out_text(preview.kind, preview.left_out),
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
