"""Reads what a frozen release may publish; texts and keys of the black box are never read here.

Everything comes from the rows that freezing wrote and from revisions, which never change, so
building again after a kill gives the same bytes whatever people have edited meanwhile.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db.models import F, QuerySet

from annotation.models import Revision
from common.db import JsonLength
from jobs.progress import Progress
from languages.letters import LETTERS
from releases.enums import Subset
from releases.exporters import FORMATS
from releases.exporters.base import HiddenItem, ReleaseContent, Row
from releases.manifest import (
    Counts,
    ReleaseFacts,
    SourceNote,
    SubjectCount,
    canary_string,
    details_from,
    json_text,
    keep_on_one_line,
)
from releases.models import Release, ReleaseItem

PAGE = 1_000
CHOICE = "choice"
T = TypeVar("T")
Rows = QuerySet[ReleaseItem, tuple[Any, ...]]


class ContentReader:
    """Streams the rows of a frozen release and tells `progress` how many it has given.

    Memory does not grow with the release. Raises JobCancelled or JobInterrupted in mid-stream.
    """

    def __init__(self, release: Release, progress: Progress) -> None:
        self._release = release
        self._progress = progress
        self._given = 0

    def content(self) -> ReleaseContent:
        facts = release_facts(self._release)
        counts = facts.counts
        self._progress.start(counts.open + counts.black_box + counts.items)
        return ReleaseContent(
            facts=facts,
            formats=tuple(FORMATS[name] for name in facts.formats),
            quality=self._release.quality,
            rows=lambda: self._counted(open_rows(self._release)),
            hidden=lambda: self._counted(hidden_items(self._release)),
            ledger=lambda: self._counted(ledger_lines(self._release)),
        )

    def _counted(self, rows: Iterator[T]) -> Iterator[T]:
        while part := list(islice(rows, PAGE)):
            yield from part
            self._given += len(part)
            self._progress.advance_to(self._given)


def release_facts(release: Release) -> ReleaseFacts:
    """What was true of the whole release when it was frozen."""
    project, facts = release.project, release.facts
    return ReleaseFacts(
        project=project.slug,
        name=facts["name"],
        version=release.version,
        source_language=facts["source_language"],
        target_language=facts["target_language"],
        seed=release.seed,
        dev_per_subject=release.dev_per_subject,
        black_box_share=release.black_box_share,
        formats=tuple(sorted(release.formats)),
        notes=release.notes,
        canary=canary_string(project=project.slug, version=release.version, seed=release.seed),
        software_version=facts["software_version"],
        counts=read_counts(release),
        sources=tuple(SourceNote(**source) for source in facts["sources"]),
        hidden_public=facts.get("hidden_public", {}),
        details=details_from(facts.get("details", {})),
    )


def read_counts(release: Release) -> Counts:
    """The counts that were written down when the release was frozen."""
    body = dict(release.counts)
    subjects = tuple(SubjectCount(**subject) for subject in body.pop("subjects"))
    return Counts(**body, subjects=subjects)


def open_rows(release: Release) -> Iterator[Row]:
    """The open items with their texts, in the order of the files."""
    subjects = {row.pk: row for row in release.subjects.all()}
    columns = release.items.filter(subset=Subset.OPEN).values_list(
        "public_id", "subject_id", "split", "revision__question", "revision__options", "key",
        "explanation", "level", "year", "source_question", "source_options",
    )  # fmt: skip
    rows = _paged(columns, release)
    for uid, subject_id, split, question, options, key, explanation, level, *rest in rows:
        subject, answer = subjects[subject_id], LETTERS.index(key)
        year, source_question, source_options = rest
        about = (explanation, subject.category, level or subject.level, year, CHOICE)
        source = (source_question, source_options, (uid,))
        yield Row(uid, subject.slug, split, question, options, answer, *about, *source)


def hidden_items(release: Release) -> Iterator[HiddenItem]:
    """What may be said of the black box; the database counts the options, so no text is read."""
    subjects = _slugs(release)
    columns = release.items.filter(subset=Subset.BLACK_BOX).values_list(
        "public_id", "subject_id", JsonLength("revision__options")
    )
    for uid, subject, option_count in _paged(columns, release):
        yield HiddenItem(uid, subjects[subject], option_count)


def ledger_lines(release: Release) -> Iterator[str]:
    """One line of the ledger an item: where its text comes from and what review decided about it.

    Of a hidden item it has nothing that could be compared with a source: no key, no hash.
    """
    subjects = {row.pk: (json_text(row.slug), row.level) for row in release.subjects.all()}
    columns = release.items.values_list(
        "public_id", "subject_id", "split", "subset", "provenance",
        JsonLength("revision__options"), "level", "key", "revision_id",
        "revision__number", "revision__origin", "revision__content_hash",
    )  # fmt: skip
    for page in _pages(columns, release):
        earlier = _earlier_texts(row[8] for row in page if row[3] == Subset.OPEN and row[9] > 1)
        for uid, subject, split, subset, provenance, count, level, key, revision, *text in page:
            slug, subject_level = subjects[subject]
            opened = ""
            if subset == Subset.OPEN:
                texts = ", ".join([*earlier[revision], _text_line(*text)])
                opened = _open_part(uid, level or subject_level, key, texts)
            yield keep_on_one_line(
                f'{{"id": {json_text(uid)}, "subject": {slug}, "split": "{split}", '
                f'"subset": "{subset}", "option_count": {count}, {opened}{provenance[1:]}\n'
            )


def _open_part(uid: str, level: str, key: str, texts: str) -> str:
    return (
        f'"source_ids": [{json_text(uid)}], "level": {json_text(level)}, '
        f'"key": {json_text(key)}, "texts": [{texts}], '
    )


def _earlier_texts(revisions: Iterable[int]) -> dict[int, list[str]]:
    """By revision: number, origin and hash of those before it, the first first, as JSON."""
    found: dict[int, list[str]] = defaultdict(list)
    if corrected := list(revisions):
        before = "translation__revisions"
        rows = Revision.objects.filter(pk__in=corrected, **{f"{before}__number__lt": F("number")})
        names = (f"{before}__number", f"{before}__origin", f"{before}__content_hash")
        for pk, *text in rows.order_by("pk", names[0]).values_list("pk", *names):
            found[pk].append(_text_line(*text))
    return found


def _text_line(number: int, origin: str, content_hash: str) -> str:
    return f'{{"number": {number}, "origin": "{origin}", "sha256": "{content_hash}"}}'


def _slugs(release: Release) -> dict[int, str]:
    return dict(release.subjects.values_list("pk", "slug"))


def _paged(columns: Rows, release: Release) -> Iterator[tuple[Any, ...]]:
    """All rows in the order of their positions, which run from 0, read page by page.

    One query for all would keep a transaction open on PostgreSQL, and on SQLite hold up the
    cleaning of its log, for as long as the files take. Both bounds are named because PostgreSQL
    knows nothing of rows that are as new as these: it would sort all that follow for each page.
    """
    for page in _pages(columns, release):
        yield from page


def _pages(columns: Rows, release: Release) -> Iterator[list[tuple[Any, ...]]]:
    for start in range(0, release.counts["items"], PAGE):
        page = columns.filter(position__gte=start, position__lt=start + PAGE)
        yield list(page.order_by("position"))
