"""Reads what a frozen release may publish; texts and keys of the black box are never read here.

Everything comes from the rows that freezing wrote and from revisions, which never change, so
building again after a kill gives the same bytes whatever people have edited meanwhile.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import F, QuerySet

from annotation.enums import ItemKind
from annotation.models import Revision
from common.db import JsonLength, json_as_text, read_lists
from jobs.progress import Progress
from languages.letters import LETTERS
from releases.enums import Subset
from releases.exporters import FORMATS
from releases.exporters.base import HiddenItem, ReleaseContent, ReleasedItem, Row
from releases.ledger_figures import LedgerLine
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
from releases.models import Release, ReleaseItem, ReleaseSubject
from releases.option_orders import in_order
from releases.reading_ahead import ReadPages, read_pages
from releases.waivers import WaiverNote

PAGE = 2_000
FIRST_PAGE = 400
"""There is nothing to write while it is read."""
NO_OPTION = -1
"""Stands for the answer of an item without options: a column of numbers has no word for none."""
_OPEN, _BLACK_BOX = Subset.OPEN.value, Subset.BLACK_BOX.value
_CHOICE, _NUMBER = ItemKind.CHOICE.value, ItemKind.NUMBER.value
"""Plain texts: an enumeration takes long to give them, asked for every item."""
_SOURCE_FROM = len('{"source": ')
"""Where in a provenance the source begins."""
Rows = QuerySet[ReleaseItem, tuple[Any, ...]]


class ContentReader:
    """Streams the rows of a frozen release and tells `progress` how many it has given.

    Memory does not grow with the release. Raises JobCancelled or JobInterrupted in mid-stream.
    """

    def __init__(self, release: Release, progress: Progress, read: ReadPages = read_pages) -> None:
        self._release = release
        self._read = read
        self._progress = progress
        self._given = 0

    def content(self) -> ReleaseContent:
        facts = release_facts(self._release)
        counts = facts.counts
        self._progress.start(counts.items)
        return ReleaseContent(
            facts=facts,
            formats=tuple(FORMATS[name] for name in facts.formats),
            quality=in_order_of_keys(self._release.quality),
            items=lambda: self._counted(released_items(self._release, self._read)),
        )

    def _counted(self, items: Iterator[ReleasedItem]) -> Iterator[ReleasedItem]:
        while part := list(islice(items, PAGE)):
            yield from part
            self._given += len(part)
            self._progress.advance_to(self._given)


def release_facts(release: Release) -> ReleaseFacts:
    """What was true of the whole release when it was frozen."""
    project, facts = release.project, in_order_of_keys(release.facts)
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
        dev_from=release.dev_from,
        carved=facts.get("carved", 0),
        duplicates_removed=facts.get("duplicates_removed", 0),
        people=facts.get("people", {}),
        contributors=tuple(facts.get("contributors", ())),
        criteria=tuple((name, label) for name, label in facts.get("criteria", ())),
        option_order=release.option_order,
        unshuffled=facts.get("unshuffled", 0),
        waivers=tuple(WaiverNote(**note) for note in facts.get("waivers", ())),
    )


def read_counts(release: Release) -> Counts:
    """The counts that were written down when the release was frozen."""
    body = in_order_of_keys(release.counts)
    subjects = tuple(SubjectCount(**subject) for subject in body.pop("subjects"))
    return Counts(**body, subjects=subjects)


def in_order_of_keys(value: Any) -> Any:
    """JSON whose objects have their keys in order, as files do; a database has an order of its own."""
    if isinstance(value, dict):
        return {key: in_order_of_keys(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_order_of_keys(each) for each in value]
    return value


def released_items(release: Release, read: ReadPages = read_pages) -> Iterator[ReleasedItem]:
    """Every item in the order of the files, the hidden ones last."""
    yield from open_items(release, read)
    yield from hidden_items(release, read)


class _OpenColumns(NamedTuple):
    """What is read of an open item; texts are the released ones, those of the source say so."""

    subject: int
    options: str
    source_options: str
    revision: int
    number: int
    origin: str
    content_hash: str
    uid: str
    split: str
    key: str
    kind: str
    level: str
    year: str
    order: str
    provenance: str
    question: str
    explanation: str
    answer: str
    source_question: str
    source_explanation: str
    source_answer: str


def open_items(release: Release, read: ReadPages = read_pages) -> Iterator[ReleasedItem]:
    """The open items with their texts, where those come from and what review decided about them."""
    subjects = {row.pk: row for row in release.subjects.all()}
    columns = release.items.filter(subset=Subset.OPEN).values_list(
        "subject_id", json_as_text("revision__options"), json_as_text("source_options"),
        "revision_id", "revision__number", "revision__origin", "revision__content_hash",
        "public_id", "split", "key", "kind", "level", "year", "option_order", "provenance",
        "revision__question", "revision__explanation", "revision__answer",
        "source_question", "explanation", "source_answer",
    )  # fmt: skip
    for rows in read(_pages(columns, release)):
        page = [_OpenColumns(*row) for row in rows]
        earlier = _earlier_texts(each.revision for each in page if each.number > 1)
        options = read_lists(each.options for each in page)
        source_options = read_lists(each.source_options for each in page)
        for found, own, theirs in zip(page, options, source_options, strict=True):
            shown, source_shown = in_order(own, found.order), in_order(theirs, found.order)
            row = _row(subjects[found.subject], found, shown, source_shown)
            yield ReleasedItem(_open_line(found, row, earlier.get(found.revision, ())), row)


def _row(
    subject: ReleaseSubject,
    found: _OpenColumns,
    options: Sequence[str],
    source_options: Sequence[str],
) -> Row:
    is_number = found.kind == _NUMBER  # a number is its own reference
    return Row(
        found.uid,
        subject.slug,
        found.split,
        found.question,
        options,
        LETTERS.index(found.key) if found.kind == _CHOICE else NO_OPTION,
        found.explanation,
        subject.category,
        found.level or subject.level,
        found.year,
        found.kind,
        found.source_question,
        source_options,
        (found.uid,),
        found.key if is_number else found.answer,
        found.key if is_number else found.source_answer,
        found.source_explanation,
    )


def _open_line(found: _OpenColumns, row: Row, earlier: Sequence[str]) -> LedgerLine:
    kind = None if found.kind == _CHOICE else found.kind
    texts = [*earlier, _text_line(found.number, found.origin, found.content_hash)]
    about = (
        f'"source_ids": [{json_text(row.id)}], "level": {json_text(row.level)}, '
        f'"key": {json_text(found.key)}, "option_order": "{found.order}", '
        f'"texts": [{", ".join(texts)}], '
    )
    if kind:
        about += f'"kind": "{kind}", '
    place = (row.subject, row.split, _OPEN, len(row.choices), row.level, kind, found.key)
    return _ledger_line(place, about, found.provenance, uid=row.id)


def hidden_items(release: Release, read: ReadPages = read_pages) -> Iterator[ReleasedItem]:
    """What may be said of the black box; the database counts the options, so no text is read.

    Nothing of it could be compared with a source: no key, no hash. The lines of the ledger have no
    id: what review did with an item, in which order and with whom, tells those who know the source
    which of its rows it is.
    """
    subjects = _slugs(release)
    columns = release.items.filter(subset=Subset.BLACK_BOX).values_list(
        "public_id", "subject_id", "split", JsonLength("revision__options"), "provenance"
    )
    for page in read(_pages(columns, release)):
        for uid, subject, split, count, provenance in page:
            slug = subjects[subject]
            place = (slug, split, _BLACK_BOX, count, None, None, None)
            line = _ledger_line(place, "", provenance)
            yield ReleasedItem(line, HiddenItem(uid, slug, count))


def _ledger_line(
    place: tuple[Any, ...], about: str, provenance: str, *, uid: str = ""
) -> LedgerLine:
    """The line of an item; `place` is what `LedgerLine` has of it.

    `about` and `uid` are what is told of open items only.
    """
    slug, split, subset, count = place[:4]
    named = f'"id": {json_text(uid)}, ' if uid else ""
    line = keep_on_one_line(
        f'{{{named}"subject": {json_text(slug)}, "split": "{split}", '
        f'"subset": "{subset}", "option_count": {count}, {about}{provenance[1:]}\n'
    )
    return LedgerLine(line, place, provenance[_SOURCE_FROM:])


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


def _pages(columns: Rows, release: Release) -> Iterator[Rows]:
    """Queries for all rows in the order of their positions, which run from 0, page by page.

    One query for all would keep a transaction open on PostgreSQL, and on SQLite hold up the
    cleaning of its log, for as long as the files take. Both bounds are named because PostgreSQL
    knows nothing of rows that are as new as these: it would sort all that follow for each page.
    """
    start, end = 0, min(FIRST_PAGE, PAGE)
    while start < release.counts["items"]:
        page = columns.filter(position__gte=start, position__lt=end)
        yield page.order_by("position")
        start, end = end, end + PAGE
