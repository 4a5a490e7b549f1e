"""What a bulk change would do to the items of a filter: which change, and why the others stay."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from annotation.enums import ItemState, PairState
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import DuplicatePair, Item
from common.errors import DomainError, plain_text
from common.names import fold_name
from projects.actions.subjects import LONGEST
from projects.models import Project, Subject
from review.enums import BulkKind, PanelState
from review.models import Panel

STAYS: Final[Mapping[str, Any]] = {
    "excluded": _("excluded already"),
    "not_excluded": _("not excluded"),
    "in_round": _("in an open round or dispute"),
    "duplicate": _("excluded as the duplicate of another item; reopen the pair instead"),
    "no_text": _("without a translation"),
    "same": _("in this category already"),
    "part_of_subject": _("in a subject that has other items, which are not selected"),
}
"""Why an item of the filter stays as it is, in words, by code."""


class CategoryInvalid(DomainError):
    code = "category_invalid"
    detail = _("Give a category: plain text of at most 100 characters.")
    status = 400


class Row(NamedTuple):
    """What of an item decides whether it changes."""

    pk: int
    state: str
    revision: int | None
    subject: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedChange:
    """What to do to which items; `category` goes with BulkKind.CATEGORY only."""

    kind: BulkKind
    item_filter: ItemFilter
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a change would do now.

    `changing` are the ids of the items that change, `left_out` counts the others by the code of
    the reason. `digest` is the same only as long as the same items would change, and the same ones
    stay for the same reasons. `category` is as it would be stored.
    """

    changing: Sequence[int]
    left_out: Mapping[str, int]
    digest: str
    category: str = ""

    @property
    def selected(self) -> int:
        """How many items the filter selects."""
        return len(self.changing) + sum(self.left_out.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "selected": self.selected,
            "changing": len(self.changing),
            "left_out": dict(self.left_out),
            "digest": self.digest,
        }


def plan_change(project: Project, wanted: WantedChange) -> Plan:
    """Return what a change would do to the items of its filter, all of them. Raises CategoryInvalid."""
    category = ""
    if wanted.kind == BulkKind.CATEGORY:
        category = stored_category(project, wanted.category)
    rows = _rows(project, wanted.item_filter)
    stays = _REASONS[wanted.kind](project, rows, category)
    changing = [row.pk for row in rows if row.pk not in stays]
    return Plan(
        changing=changing,
        left_out=dict(sorted(Counter(stays.values()).items())),
        digest=_digest(wanted.kind, category, changing, stays),
        category=category,
    )


def items_in_work(project: Project, item_ids: Collection[int] | None = None) -> set[int]:
    """Return the items that are in an open round or dispute, control items too."""
    states = [PanelState.JUDGING, PanelState.DISPUTED]
    panels = Panel.with_controls.filter(round__project=project, state__in=states)
    if item_ids is not None:
        panels = panels.filter(item__in=item_ids)
    return set(panels.values_list("item", flat=True))


def dropped_duplicates(project: Project) -> set[int]:
    """Return the items that a decision on duplicates excluded."""
    pairs = DuplicatePair.objects.filter(project=project, state=PairState.DUPLICATE)
    return set(pairs.filter(dropped__isnull=False).values_list("dropped", flat=True))


def stored_category(project: Project, text: str) -> str:
    """Return a category as the project spells it, where it has one that looks alike.

    Raises CategoryInvalid, TextInvalid.
    """
    text = plain_text(text)
    if not text or len(text) > LONGEST or not text.isprintable() or not fold_name(text):
        raise CategoryInvalid(fields={"to_category": [str(CategoryInvalid.detail)]})
    there = Subject.objects.filter(project=project).exclude(category="").order_by("pk")
    known = {fold_name(name): name for name in there.values_list("category", flat=True)}
    return str(known.get(fold_name(text), text))


def _rows(project: Project, item_filter: ItemFilter) -> list[Row]:
    columns = ("pk", "state", "working_translation__current_revision", "subject")
    rows = filtered_items(project, item_filter).order_by("pk").values_list(*columns)
    return [Row(*row) for row in rows]


def _against_excluding(project: Project, rows: Sequence[Row], _category: str) -> dict[int, str]:
    held = items_in_work(project)
    stays = {row.pk: "in_round" for row in rows if row.pk in held}
    return stays | {row.pk: "excluded" for row in rows if row.state == ItemState.EXCLUDED}


def _against_restoring(project: Project, rows: Sequence[Row], _category: str) -> dict[int, str]:
    dropped = dropped_duplicates(project)
    stays = {row.pk: "duplicate" for row in rows if row.pk in dropped}
    return stays | {row.pk: "not_excluded" for row in rows if row.state != ItemState.EXCLUDED}


def _against_checking(_project: Project, rows: Sequence[Row], _category: str) -> dict[int, str]:
    return {row.pk: "no_text" for row in rows if row.revision is None}


def _against_grouping(project: Project, rows: Sequence[Row], category: str) -> dict[int, str]:
    """A category belongs to a whole subject, so items stay where some of theirs are not selected."""
    selected = Counter(row.subject for row in rows)
    there = Item.objects.filter(project=project).order_by().values_list("subject")
    totals = dict(there.annotate(count=Count("pk")))
    names = dict(Subject.objects.filter(project=project).values_list("pk", "category"))
    why = {pk: "part_of_subject" for pk, count in selected.items() if count < totals[pk]}
    why |= {pk: "same" for pk in selected if names[pk] == category}
    return {row.pk: why[row.subject] for row in rows if row.subject in why}


_REASONS: Final[Mapping[str, Callable[[Project, Sequence[Row], str], dict[int, str]]]] = {
    BulkKind.EXCLUDE: _against_excluding,
    BulkKind.RESTORE: _against_restoring,
    BulkKind.CHECK: _against_checking,
    BulkKind.CATEGORY: _against_grouping,
}


def _digest(kind: str, category: str, changing: Sequence[int], stays: Mapping[int, str]) -> str:
    said = [str(kind), category, list(changing), sorted(stays.items())]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()
