"""Bulk changes in words, for pages and jobs."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from projects.models import Project
from review.bulk.plans import STAYS
from review.bulk.selectors import latest_bulks
from review.enums import BulkKind
from review.models import BulkChange


@dataclass(frozen=True, slots=True)
class ShownBulk:
    """A bulk change in the list of the latest ones."""

    bulk: BulkChange
    words: str
    can_undo: bool


def left_out_words(left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return each reason for which items stay, in words, with their number."""
    return [(str(STAYS.get(code, code)), count) for code, count in left_out.items()]


def done_words(bulk: BulkChange) -> str:
    """Say how many items a change has changed."""
    count = bulk.item_count
    words = {
        BulkKind.EXCLUDE: ngettext("%d item is excluded.", "%d items are excluded.", count),
        BulkKind.RESTORE: ngettext("%d item is back.", "%d items are back.", count),
        BulkKind.CHECK: ngettext("%d item is checked.", "%d items are checked.", count),
        BulkKind.CATEGORY: ngettext(
            "%d item is in another category.", "%d items are in another category.", count
        ),
    }
    return words[BulkKind(bulk.kind)] % count


def shown_bulks(project: Project) -> list[ShownBulk]:
    """Return the latest changes as the page shows them; one query."""
    return [
        ShownBulk(each, done_words(each), can_undo=_can_undo(each))
        for each in latest_bulks(project)
    ]


def stayed_words(bulk: BulkChange) -> str:
    """Say how many items of a finished change could not change any more; "" for none."""
    count = bulk.done_count - bulk.item_count
    if not count:
        return ""
    return (
        ngettext(
            "%d item has changed since and stays as it is.",
            "%d items have changed since and stay as they are.",
            count,
        )
        % count
    )


def kind_words(bulk: BulkChange) -> str:
    """Say what a change is, with the category that it assigned."""
    label = str(BulkKind(bulk.kind).label)
    if bulk.category:
        return _("%(what)s: %(category)s") % {"what": label, "category": bulk.category}
    return label


def _can_undo(bulk: BulkChange) -> bool:
    is_undone = hasattr(bulk, "undone_by")
    is_running = bulk.finished_at is None and bulk.job is not None and not bulk.job.has_ended
    return bulk.kind == BulkKind.EXCLUDE and bulk.item_count > 0 and not (is_undone or is_running)
