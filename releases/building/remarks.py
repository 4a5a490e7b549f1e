"""Read key changes, dismissed findings and waivers as the ledger tells them."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.models import Finding, KeyChange
from projects.models import Project
from releases.building.queries import READ_AT_ONCE, ChosenText
from releases.readiness.waivers import NOTHING_WAIVED, Waived


class KeyCorrection(NamedTuple):
    before: str
    after: str
    reason: str
    is_simulated: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return {before, after, reason} and, if a program made the change, is_simulated."""
        body = {"before": self.before, "after": self.after, "reason": self.reason}
        return body | ({"is_simulated": True} if self.is_simulated else {})


class Dismissal(NamedTuple):
    code: str
    severity: str
    reason: str


class ItemRemarks(NamedTuple):
    key_changes: tuple[KeyCorrection, ...] = ()
    dismissals: tuple[Dismissal, ...] = ()
    waivers: tuple[str, ...] = ()


NONE = ItemRemarks()


@dataclass(frozen=True, slots=True)
class Remarks:
    """Decisions about keys, by item, about findings, by revision, and waivers, by uid."""

    key_changes: Mapping[int, tuple[KeyCorrection, ...]]
    dismissals: Mapping[int, tuple[Dismissal, ...]]
    waivers: Mapping[str, tuple[str, ...]]

    def of(self, text: ChosenText, *, is_hidden: bool) -> ItemRemarks:
        """Return the remarks of a text; of a hidden item no key and nothing that people wrote."""
        dismissals = self.dismissals.get(text.revision_id, ())
        waivers = self.waivers.get(text.uid, ())
        if is_hidden:
            silent = tuple(each._replace(reason="") for each in dismissals)
            return ItemRemarks((), silent, waivers)
        key_changes = self.key_changes.get(text.item_id, ())
        has_any = key_changes or dismissals or waivers
        return ItemRemarks(key_changes, dismissals, waivers) if has_any else NONE


def read_remarks(project: Project, waived: Waived = NOTHING_WAIVED) -> Remarks:
    """Read the remarks of all items of the project."""
    key_changes: dict[int, tuple[KeyCorrection, ...]] = defaultdict(tuple)
    changes = KeyChange.objects.filter(item__project=project).order_by("item_id", "number")
    columns = ("old_key", "new_key", "reason", "author__is_simulated")
    for item, old, new, reason, is_simulated in changes.values_list("item_id", *columns):
        key_changes[item] += (KeyCorrection(old, new, reason, bool(is_simulated)),)
    dismissals: dict[int, tuple[Dismissal, ...]] = defaultdict(tuple)
    findings = Finding.objects.filter(
        revision__translation__item__project=project, dismissed_at__isnull=False
    ).order_by("revision_id", "code", "field", "start", "end")
    rows = findings.values_list("revision_id", "code", "severity", "dismissal_reason")
    for revision, *dismissal in rows.iterator(READ_AT_ONCE):
        dismissals[revision] += (Dismissal(*dismissal),)
    return Remarks(dict(key_changes), dict(dismissals), waived.codes)
