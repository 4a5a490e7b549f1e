"""Compare two releases, or the source and a release, item by item."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Case, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.diffs import Segment, diff
from annotation.models import KeyChange, Revision
from common.errors import DomainError
from releases.enums import ChangeKind, Subset
from releases.models import Release, ReleaseItem
from releases.queries import releases_seen_by

SOURCE = "source"
"""What the source is called where a version is expected; no version looks like it."""

ASPECTS = tuple(ChangeKind.values)
READ_AT_ONCE = 2_000
_TWIN = ("item_key", "split", "subset", "revision_id", "subject__slug", "subject__category")
_HERE = ("uid", "public_id", "source_language", "target_language", *_TWIN)


@dataclass(frozen=True, slots=True)
class Difference:
    """An item with one value in the earlier release and another in the later one."""

    uid: str
    subject: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """An item with another text: the runs that stayed, came and went, part by part.

    The first part is the question, the others are the options in their order, then the answer and
    the explanation where there are any. `languages` are those of question and answer of an item
    that asks for a translation; there are none of others, which are in the language of the project.
    """

    uid: str
    subject: str
    parts: tuple[tuple[Segment, ...], ...]
    languages: tuple[str, ...] = ()

    @property
    def parts_in_languages(self) -> list[tuple[str, tuple[Segment, ...]]]:
        """Return each part behind its language, '' where that is the project's."""
        count = len(self.parts)
        return list(zip([*self.languages, *[""] * count], self.parts, strict=False))


@dataclass(frozen=True, slots=True)
class SubjectDifference:
    """The number of items of a subject that changed in each way."""

    subject: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """The difference of `after` from `before`, by what each of them froze.

    `counts` are of all items, by the names of `ASPECTS`. The lists leave out what the reader may
    not see, items that either release keeps in the black box, and what is beyond `most`;
    `hidden` counts by aspect what was left out because it is hidden. `subjects` leaves that out
    too: a subject may have one hidden item, of which nobody may learn that its key was wrong.
    """

    before: str
    after: str
    counts: Mapping[str, int]
    hidden: Mapping[str, int]
    subjects: tuple[SubjectDifference, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    text: tuple[TextDifference, ...]
    key: tuple[Difference, ...]
    split: tuple[Difference, ...]
    subset: tuple[Difference, ...]
    category: tuple[Difference, ...]


class Row(NamedTuple):
    """An item of the later release beside its twin in the earlier one, None where there is none."""

    uid: str
    public_id: str
    source_language: str
    target_language: str
    key: str
    split: str
    subset: str
    revision: int
    subject: str
    category: str
    old_key: str | None
    old_split: str | None
    old_subset: str | None
    old_revision: int | None
    old_subject: str | None
    old_category: str | None

    @property
    def is_hidden(self) -> bool:
        return Subset.BLACK_BOX in (self.subset, self.old_subset)


@dataclass
class _Found:
    shows_hidden: bool
    most: int | None
    counts: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    subjects: dict[str, Counter[str]] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in ASPECTS})

    def note(self, aspect: str, subject: str, told: Any, *, is_hidden: bool) -> None:
        self.counts[aspect] += 1
        if is_hidden and not self.shows_hidden:
            self.hidden[aspect] += 1
            return
        self.subjects.setdefault(subject, Counter())[aspect] += 1
        if self.most is None or len(self.lists[aspect]) < self.most:
            self.lists[aspect].append(told)


def chosen_earlier(earlier: Sequence[Release], version: str) -> Release | None:
    """Return the one of `earlier` with this version, or the first of them without a version."""
    return next((row for row in earlier if version in ("", row.version)), None)


def earlier_releases(user: User, release: Release) -> list[Release]:
    """Return the frozen releases of lower versions that `user` may see, the nearest first."""
    rows = releases_seen_by(user, release.project).filter(frozen_at__isnull=False)
    return lower_versions(rows, release)


def lower_versions(rows: Iterable[Release], release: Release) -> list[Release]:
    """Return those of `rows` with a lower version than `release`, the nearest first."""
    lower = [row for row in rows if row.precedence < release.precedence]
    return sorted(lower, key=attrgetter("precedence"), reverse=True)


def compared(
    user: User, release: Release, *, since: str, most: int | None
) -> ReleaseDifference | None:
    """Compare `release` with the earlier version `since`, as `user` may see it.

    The nearest earlier one without `since`; None where there is none, or nothing is frozen yet.
    """
    if release.frozen_at is None:
        return None
    shows_hidden = user.has_perm("releases.build_release", release.project)
    if since == SOURCE:
        return source_difference(release, shows_hidden=shows_hidden, most=most)
    before = chosen_earlier(earlier_releases(user, release), since)
    return difference(before, release, shows_hidden=shows_hidden, most=most) if before else None


def difference(
    before: Release, after: Release, *, shows_hidden: bool, most: int | None = None
) -> ReleaseDifference:
    """Compare two frozen releases of a project, in the order of the later one's files."""
    found = _Found(shows_hidden, most)
    changed = list(_changed(before, after))
    for row in changed:
        _note_row(found, row)
    for uid, public_id, subset, subject in _removed(before, after):
        told = uid if shows_hidden else public_id
        found.note("removed", subject, told, is_hidden=subset == Subset.BLACK_BOX)
    pairs = [
        (row, row.old_revision) for row in changed if row.old_revision not in (None, row.revision)
    ]
    _note_texts(found, pairs)
    return _difference(before.version, after.version, found)


def source_difference(
    release: Release, *, shows_hidden: bool, most: int | None = None
) -> ReleaseDifference:
    """Compare a frozen release with the source: keys as imported, texts as first translated."""
    found = _Found(shows_hidden, most)
    first_key = KeyChange.objects.filter(item=OuterRef("item"), number=1).values("old_key")
    rows = release.items.annotate(
        first_key=Subquery(first_key[:1]), number=F("revision__number")
    ).filter(Q(first_key__isnull=False) | Q(number__gt=1))
    firsts = Revision.objects.filter(
        translation=OuterRef("revision__translation"), number=1
    ).values("pk")
    columns = rows.order_by("position").values_list(*_HERE, "first_key", Subquery(firsts[:1]))
    pairs = []
    for *here, key, first in columns.iterator(READ_AT_ONCE):
        row = Row._make([*here, key, None, None, first, None, None])
        if key not in (None, row.key):
            _note_change(found, "key", row, key, row.key)
        if first != row.revision:
            pairs.append((row, first))
    _note_texts(found, pairs)
    return _difference(SOURCE, release.version, found)


def _changed(before: Release, after: Release) -> Iterator[Row]:
    """Yield the items of `after` that are new or differ from those of `before`."""
    twin = FilteredRelation("item__release_items", condition=Q(item__release_items__release=before))
    rows = after.items.alias(twin=twin).annotate(
        **{f"old_{name}": F(f"twin__{name}") for name in _TWIN},
        is_same=Case(
            When(**{name: F(f"old_{name}") for name in _TWIN}, then=Value(value=True)),
            default=Value(value=False),
        ),
    )  # fmt: skip
    changed = rows.filter(is_same=False).order_by("position")
    columns = changed.values_list(*_HERE, *(f"old_{name}" for name in _TWIN))
    yield from map(Row._make, columns.iterator(READ_AT_ONCE))


def _removed(before: Release, after: Release) -> QuerySet[ReleaseItem, tuple[Any, ...]]:
    gone = before.items.exclude(item__in=after.items.values("item"))
    return gone.order_by("position").values_list("uid", "public_id", "subset", "subject__slug")


def _note_row(found: _Found, row: Row) -> None:
    if row.old_key is None:
        told = row.uid if found.shows_hidden else row.public_id
        found.note("added", row.subject, told, is_hidden=row.is_hidden)
        return
    if row.key != row.old_key:
        _note_change(found, "key", row, row.old_key, row.key)
    if row.split != row.old_split:
        _note_change(found, "split", row, row.old_split, row.split)
    if row.subset != row.old_subset:
        is_hidden = row.subset == Subset.BLACK_BOX
        change = Difference(row.uid, row.subject, str(row.old_subset), row.subset)
        found.note("subset", row.subject, change, is_hidden=is_hidden)
    if (row.subject, row.category) != (row.old_subject, row.old_category):
        now, old = _place(row.category, row.subject), _place(row.old_category, row.old_subject)
        _note_change(found, "category", row, old, now)


def _note_change(found: _Found, aspect: str, row: Row, before: str | None, after: str) -> None:
    told = Difference(row.uid, row.subject, before or "", after)
    found.note(aspect, row.subject, told, is_hidden=row.is_hidden)


def _place(category: str | None, subject: str | None) -> str:
    return f"{category} / {subject}" if category else str(subject)


def _note_texts(found: _Found, pairs: Iterable[tuple[Row, int | None]]) -> None:
    """Note the pairs (item, earlier revision) whose words differ; texts are read in batches."""
    waiting = list(pairs)
    for start in range(0, len(waiting), READ_AT_ONCE):
        batch = waiting[start : start + READ_AT_ONCE]
        texts = _texts({pk for row, old in batch for pk in (row.revision, old)})
        for row, old in batch:
            before, after = texts[old], texts[row.revision]
            if before != after:
                _note_text(found, row, before, after)


def _texts(revisions: set[int | None]) -> dict[int | None, tuple[str, ...]]:
    rows = Revision.objects.filter(pk__in=[pk for pk in revisions if pk]).values_list(
        "pk", "question", "options", "answer", "explanation"
    )
    return {
        pk: (question, *map(str, options), *filter(None, further))
        for pk, question, options, *further in rows
    }


def _note_text(found: _Found, row: Row, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    is_listed = found.most is None or len(found.lists["text"]) < found.most
    is_shown = is_listed and (found.shows_hidden or not row.is_hidden)
    parts = tuple(_parts(before, after)) if is_shown else ()
    languages = tuple(filter(None, (row.source_language, row.target_language)))
    told = TextDifference(row.uid, row.subject, parts, languages)
    found.note("text", row.subject, told, is_hidden=row.is_hidden)


def _parts(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[tuple[Segment, ...]]:
    for place in range(max(len(before), len(after))):
        old = before[place] if place < len(before) else ""
        new = after[place] if place < len(after) else ""
        yield tuple(diff(old, new))


def _difference(before: str, after: str, found: _Found) -> ReleaseDifference:
    return ReleaseDifference(
        before=before,
        after=after,
        counts={name: found.counts[name] for name in ASPECTS},
        hidden={name: found.hidden[name] for name in ASPECTS},
        subjects=tuple(
            SubjectDifference(subject, {name: counts[name] for name in ASPECTS})
            for subject, counts in sorted(found.subjects.items())
        ),
        **{name: tuple(found.lists[name]) for name in ASPECTS},
    )


class NoEarlierRelease(DomainError):
    code = "no_earlier_release"
    detail = _("There is no release %(old)s before %(version)s to compare it with.")
    status = 404


class NotFrozen(DomainError):
    code = "release_not_frozen"
    detail = _("The items of release %(version)s are not chosen yet.")
