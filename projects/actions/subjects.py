"""Writes the category, dimension and level of subjects; imports add the rows."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from projects.categories import COLUMNS, Grouping, matched
from projects.locks import lock_project
from projects.models import Project, Subject

LONGEST = Subject._meta.get_field("category").max_length or 0


class SubjectsUnknown(DomainError):
    code = "subjects_unknown"
    detail = _("The project has no subject with these names: %(names)s.")
    status = 400


class GroupingInvalid(DomainError):
    code = "grouping_invalid"
    detail = _("The %(column)s of %(subject)s must be plain text of at most 100 characters.")
    status = 400


@transaction.atomic
def group_subjects(
    *,
    project: Project,
    groupings: Mapping[str, Grouping],
    actor: User | None,
    now: datetime,
    fills_gaps: bool = False,
    item_count: int | None = None,
) -> int:
    """Store what subjects belong to, and an audit row; return how many subjects changed.

    `groupings` is by slug; names that look alike are one. With `fills_gaps`, what a subject has
    already stays, and names that match no subject are left out, as a published assignment names
    more subjects than most projects have. `item_count` goes into the audit row: the items for whose
    sake somebody changed their subjects. Figures of closed rounds and releases stay as they are.
    Raises SubjectsUnknown, GroupingInvalid.
    """
    lock_project(project.pk)
    subjects = {row.slug: row for row in project.subjects.order_by("pk")}
    found, foreign = matched(groupings, subjects)
    if foreign and not fills_gaps:
        raise SubjectsUnknown(names=", ".join(foreign[:20]))
    before: dict[str, dict[str, str]] = {}
    for slug, wanted in found.items():
        _check(slug, wanted)
        there = grouping_of(subjects[slug])
        new = _filled(there, wanted) if fills_gaps else wanted
        if new != there:
            before[slug] = asdict(there)
            Subject.objects.filter(pk=subjects[slug].pk).update(**asdict(new))
    if before:
        items = {} if item_count is None else {"items": item_count}
        record_event(
            actor=actor, verb="subjects.grouped", target=f"project:{project.pk}",
            scope=project.slug, data={"before": before, **items}, now=now,
        )  # fmt: skip
    return len(before)


def grouping_of(subject: Subject) -> Grouping:
    """Return what a subject belongs to."""
    return Grouping(subject.category, subject.dimension, subject.level)


def _filled(there: Grouping, wanted: Grouping) -> Grouping:
    gaps = {name: getattr(wanted, name) for name in COLUMNS if not getattr(there, name)}
    return replace(there, **gaps)


def _check(slug: str, wanted: Grouping) -> None:
    for name, text in asdict(wanted).items():
        if len(text) > LONGEST or not text.isprintable():
            raise GroupingInvalid(column=name, subject=slug)
