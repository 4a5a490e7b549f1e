"""Which items a round is about, and in which order its seats are offered."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q

from annotation.enums import Severity
from annotation.models import Finding
from annotation.querysets import ItemQuerySet
from projects.models import Project
from review.enums import PanelState, Selection
from review.sampling import stratified_sample


class ChosenItem(NamedTuple):
    """An item with the ids of its subject, its current text and that text's author."""

    pk: int
    uid: str
    subject: int
    revision: int
    author: int | None


COLUMNS = (
    "pk",
    "uid",
    "subject_id",
    "working_translation__current_revision_id",
    "working_translation__current_revision__author_id",
)


def reviewable_items(project: Project) -> ItemQuerySet:
    """Items with a text to judge; those in an open dispute wait for the senior instead."""
    items: ItemQuerySet = project.items.active().translated()
    return items.exclude(panels__state=PanelState.DISPUTED)


def choose_items(
    project: Project, *, selection: Selection, sample_size: int | None, seed: int
) -> list[ChosenItem]:
    """The items of a round with these settings, by uid."""
    items = reviewable_items(project)
    if selection != Selection.ALL:
        items = items.not_approved()
    chosen = [ChosenItem(*row) for row in items.order_by("uid").values_list(*COLUMNS)]
    if selection == Selection.SAMPLE and sample_size:
        return stratified_sample(chosen, sample_size, seed)
    return chosen


def by_risk(project: Project, items: Sequence[ChosenItem]) -> list[ChosenItem]:
    """Put the items whose text has the most open errors first, then warnings, then by uid."""
    found = _open_findings(project)

    def risk(item: ChosenItem) -> tuple[int, int, str]:
        errors, warnings = found.get(item.revision, (0, 0))
        return (-errors, -warnings, item.uid)

    return sorted(items, key=risk)


def _open_findings(project: Project) -> dict[int, tuple[int, int]]:
    """Errors and warnings of each current text that has any."""
    rows = (
        Finding.objects.open()
        .current()
        .filter(revision__translation__item__project=project)
        .values_list("revision")
        .annotate(
            errors=Count("pk", filter=Q(severity=Severity.ERROR)),
            warnings=Count("pk", filter=Q(severity=Severity.WARNING)),
        )
        .order_by()
    )
    return {revision: (errors, warnings) for revision, errors, warnings in rows}
