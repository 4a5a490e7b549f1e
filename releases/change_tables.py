"""The difference between two releases as the page shows it: one table for each way to change."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from releases.differences import Difference, ReleaseDifference
from releases.models import Release, ReleaseSubject


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """`rows` are the first of `count`; `hidden` more are not for the reader."""

    name: str
    title: Promise
    count: int
    hidden: int
    rows: tuple[Difference, ...]
    uids: tuple[str, ...]

    @property
    def left_out(self) -> int:
        return self.count - self.hidden - len(self.rows) - len(self.uids)


TITLES: dict[str, Promise] = {
    "added": _("New items"),
    "removed": _("Items removed"),
    "text": _("Texts changed"),
    "key": _("Keys changed"),
    "split": _("Moved between dev and test"),
    "subset": _("Opened or hidden"),
    "category": _("Moved to another subject or category"),
}


def changes_by_subject(
    release: Release, found: ReleaseDifference
) -> list[tuple[str, Mapping[str, int]]]:
    """(name, counts) of each subject in which something changed, as the later release calls it."""
    if not found.subjects:
        return []
    rows = ReleaseSubject.objects.filter(
        release__project=release.project_id, release__version__in=(found.before, found.after)
    )
    named = rows.values_list("release__version", "slug", "name")
    names = {(version, slug): name for version, slug, name in named}
    return [
        (
            names.get((found.after, row.subject))
            or names.get((found.before, row.subject))
            or row.subject,
            row.counts,
        )
        for row in found.subjects
    ]


def change_tables(found: ReleaseDifference) -> list[ChangeTable]:
    return [_table(found, name) for name in TITLES]


def _table(found: ReleaseDifference, name: str) -> ChangeTable:
    listed = getattr(found, name)
    return ChangeTable(
        name=name,
        title=TITLES[name],
        count=found.counts[name],
        hidden=found.hidden[name],
        rows=listed if name in ("key", "split", "subset", "category") else (),
        uids=_uids(found, name),
    )


def _uids(found: ReleaseDifference, name: str) -> tuple[str, ...]:
    names = {"added": found.added, "removed": found.removed}
    return tuple(row.uid for row in found.text) if name == "text" else names.get(name, ())
