"""Present the difference between two releases: one table for each way to change."""

from collections.abc import Mapping
from dataclasses import dataclass

from releases.changes.differences import Difference, ReleaseDifference
from releases.enums import ChangeKind
from releases.models import Release, ReleaseSubject


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """`rows` are the first of `count`; `hidden` more are not for the reader."""

    name: str
    title: str
    count: int
    hidden: int
    rows: tuple[Difference, ...]
    uids: tuple[str, ...]

    @property
    def left_out(self) -> int:
        return self.count - self.hidden - len(self.rows) - len(self.uids)


def changes_by_subject(
    release: Release, found: ReleaseDifference
) -> list[tuple[str, Mapping[str, int]]]:
    """Return (name, counts) of each subject with changes, as the later release calls it."""
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
    return [_table(found, kind) for kind in ChangeKind]


def _table(found: ReleaseDifference, kind: ChangeKind) -> ChangeTable:
    name = kind.value
    listed = getattr(found, name)
    return ChangeTable(
        name=name,
        title=str(kind.label),
        count=found.counts[name],
        hidden=found.hidden[name],
        rows=listed if name in ("key", "split", "subset", "category") else (),
        uids=_uids(found, name),
    )


def _uids(found: ReleaseDifference, name: str) -> tuple[str, ...]:
    names = {"added": found.added, "removed": found.removed}
    return tuple(row.uid for row in found.text) if name == "text" else names.get(name, ())
