"""What changed between two releases: items that came and went, texts, and keys."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from accounts.models import User
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from releases.queries import releases_seen_by
from releases.versions import parse_version


@dataclass(frozen=True, slots=True)
class KeyDifference:
    """An item whose key is another one in the later release."""

    uid: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """How `after` differs from `before`, by what each of them froze.

    `hidden_keys` is how many more keys changed that the reader may not see: of items that either
    release keeps in the black box.
    """

    before: str
    after: str
    added: int
    removed: int
    texts: int
    keys: tuple[KeyDifference, ...]
    hidden_keys: int


def chosen_earlier(earlier: Sequence[Release], version: str) -> Release | None:
    """The one of `earlier` with this version, the nearest without one; None where there is none."""
    return next((row for row in earlier if version in ("", row.version)), None)


def earlier_releases(user: User, release: Release) -> list[Release]:
    """The frozen releases of lower versions that `user` may see, the nearest first."""
    rows = releases_seen_by(user, release.project).filter(frozen_at__isnull=False)
    this = parse_version(release.version).precedence
    lower = [row for row in rows if parse_version(row.version).precedence < this]
    return sorted(lower, key=lambda row: parse_version(row.version).precedence, reverse=True)


def difference(before: Release, after: Release, *, shows_hidden: bool) -> ReleaseDifference:
    """Compare two frozen releases of a project; the keys in the order of the later one's files."""
    here, there = _items(after), _items(before)
    twins = there.filter(item=OuterRef("item"))
    kept = here.filter(Exists(twins)).count()
    rows = here.alias(twin_key=Subquery(twins.values("key")[:1])).exclude(twin_key=F("key"))
    changed = rows.filter(Exists(twins)).annotate(
        old_key=F("twin_key"), old_subset=Subquery(twins.values("subset")[:1])
    )
    named = changed.order_by("position").values_list(
        "uid", "old_key", "key", "subset", "old_subset"
    )
    keys = [
        (KeyDifference(uid, old, new), Subset.BLACK_BOX in places)
        for uid, old, new, *places in named
    ]
    return ReleaseDifference(
        before=before.version,
        after=after.version,
        added=here.count() - kept,
        removed=there.count() - kept,
        texts=kept - here.filter(Exists(twins.filter(revision=OuterRef("revision")))).count(),
        keys=tuple(row for row, is_hidden in keys if shows_hidden or not is_hidden),
        hidden_keys=0 if shows_hidden else sum(is_hidden for _row, is_hidden in keys),
    )


def _items(release: Release) -> QuerySet[ReleaseItem]:
    return ReleaseItem.objects.filter(release=release)
