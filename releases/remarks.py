"""Key changes and dismissed findings as the ledger tells them."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from annotation.models import Finding, KeyChange
from projects.models import Project
from releases.queries import READ_AT_ONCE, ChosenText


class KeyCorrection(NamedTuple):
    before: str
    after: str
    reason: str


class Dismissal(NamedTuple):
    code: str
    severity: str
    reason: str


class ItemRemarks(NamedTuple):
    key_changes: tuple[KeyCorrection, ...] = ()
    dismissals: tuple[Dismissal, ...] = ()


NONE = ItemRemarks()


@dataclass(frozen=True, slots=True)
class Remarks:
    """What people decided about keys, by item, and about findings, by revision."""

    key_changes: Mapping[int, tuple[KeyCorrection, ...]]
    dismissals: Mapping[int, tuple[Dismissal, ...]]

    def of(self, text: ChosenText, *, is_hidden: bool) -> ItemRemarks:
        """Of a hidden item no key and nothing that people wrote."""
        dismissals = self.dismissals.get(text.revision_id, ())
        if is_hidden:
            return ItemRemarks((), tuple(each._replace(reason="") for each in dismissals))
        key_changes = self.key_changes.get(text.item_id, ())
        return ItemRemarks(key_changes, dismissals) if key_changes or dismissals else NONE


def read_remarks(project: Project) -> Remarks:
    """Read them as they are now, for all items of the project."""
    key_changes: dict[int, tuple[KeyCorrection, ...]] = defaultdict(tuple)
    changes = KeyChange.objects.filter(item__project=project).order_by("item_id", "number")
    for item, *change in changes.values_list("item_id", "old_key", "new_key", "reason"):
        key_changes[item] += (KeyCorrection(*change),)
    dismissals: dict[int, tuple[Dismissal, ...]] = defaultdict(tuple)
    findings = Finding.objects.filter(
        revision__translation__item__project=project, dismissed_at__isnull=False
    ).order_by("revision_id", "code", "field", "start", "end")
    columns = findings.values_list("revision_id", "code", "severity", "dismissal_reason")
    for revision, *dismissal in columns.iterator(READ_AT_ONCE):
        dismissals[revision] += (Dismissal(*dismissal),)
    return Remarks(dict(key_changes), dict(dismissals))
