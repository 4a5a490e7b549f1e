"""Read what a frozen release may publish; keys of hidden items are never read here.

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
from common.db import JsonLength
from jobs.progress import Progress
from languages.letters import LETTERS
from releases.enums import HiddenPart, Subset
from releases.files.exporters import FORMATS
from releases.files.exporters.base import (
    HiddenItem,
    ReleaseContent,
    ReleasedItem,
    Row,
    WithheldText,
)
from releases.files.manifest import (
    Counts,
    ReleaseFacts,
    SubjectCount,
    canary_string,
    facts_from,
    json_text,
    keep_on_one_line,
)
from releases.models import Release, ReleaseItem, ReleaseSubject
from releases.option_orders import in_order
from scoring.directions import Direction

PAGE = 2_000
NO_OPTION = -1
"""Stands for the answer of an item without options: a column of numbers has no word for none."""
_OPEN, _BLACK_BOX = Subset.OPEN.value, Subset.BLACK_BOX.value
_CHOICE, _NUMBER = ItemKind.CHOICE.value, ItemKind.NUMBER.value
"""Plain texts: an enumeration takes long to give them, asked for every item."""
Rows = QuerySet[ReleaseItem, tuple[Any, ...]]


class ContentReader:
    """Streams the rows of a frozen release and reports to `progress` how many it has given.

    Memory does not grow with the release. Raises JobCancelled or JobInterrupted in mid-stream.
    """

    def __init__(self, release: Release, progress: Progress) -> None:
        self._release = release
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
            items=lambda: self._counted(released_items(self._release)),
        )

    def _counted(self, items: Iterator[ReleasedItem]) -> Iterator[ReleasedItem]:
        while part := list(islice(items, PAGE)):
            yield from part
            self._given += len(part)
            self._progress.advance_to(self._given)


def release_facts(release: Release) -> ReleaseFacts:
    """Return what was true of the whole release when it was frozen."""
    slug, version, seed = release.project.slug, release.version, release.seed
    body = in_order_of_keys(release.facts) | {
        **{name: getattr(release, name) for name in _STATED},
        "project": slug,
        "formats": sorted(release.formats),
        "canary": canary_string(project=slug, version=version, seed=seed),
    }
    return facts_from(body, read_counts(release))


_STATED = (
    *("version", "seed", "dev_per_subject", "dev_from", "black_box_share", "option_order"),
    *("hidden_part", "notes"),
)
"""Columns of a release that its facts hold as they are."""


def read_counts(release: Release) -> Counts:
    """Return the counts that were stored when the release was frozen."""
    body = in_order_of_keys(release.counts)
    subjects = tuple(SubjectCount(**subject) for subject in body.pop("subjects"))
    return Counts(**body, subjects=subjects)


def in_order_of_keys(value: Any) -> Any:
    """Sort the keys of all objects in JSON, as files have them; a database has an order of its own."""
    if isinstance(value, dict):
        return {key: in_order_of_keys(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_order_of_keys(each) for each in value]
    return value


def released_items(release: Release) -> Iterator[ReleasedItem]:
    """Yield every item in the order of the files, the hidden ones last."""
    yield from open_items(release)
    is_withheld = release.hidden_part == HiddenPart.WITHHELD
    yield from withheld_items(release) if is_withheld else hidden_items(release)


class _OpenColumns(NamedTuple):
    """The columns of an open item; texts are the released ones, `source_…` those of the source."""

    subject: int
    options: list[str]
    source_options: list[str]
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
    source_language: str
    target_language: str


def open_items(release: Release) -> Iterator[ReleasedItem]:
    """Yield the open items with their texts, where those come from and what review decided."""
    subjects = {row.pk: row for row in release.subjects.all()}
    columns = release.items.filter(subset=Subset.OPEN).values_list(
        "subject_id", "revision__options", "source_options",
        "revision_id", "revision__number", "revision__origin", "revision__content_hash",
        "public_id", "split", "key", "kind", "level", "year", "option_order", "provenance",
        "revision__question", "revision__explanation", "revision__answer",
        "source_question", "explanation", "source_answer", "source_language", "target_language",
    )  # fmt: skip
    for rows in _pages(columns, release):
        page = [_OpenColumns(*row) for row in rows]
        earlier = _earlier_texts(each.revision for each in page if each.number > 1)
        for found in page:
            row = _row(subjects[found.subject], found)
            yield ReleasedItem(_open_line(found, row, earlier.get(found.revision, ())), row)


def _row(subject: ReleaseSubject, found: _OpenColumns) -> Row:
    is_number = found.kind == _NUMBER  # a number is its own reference
    return Row(
        found.uid,
        subject.slug,
        found.split,
        found.question,
        in_order(found.options, found.order),
        LETTERS.index(found.key) if found.kind == _CHOICE else NO_OPTION,
        found.explanation,
        subject.category,
        found.level or subject.level,
        found.year,
        found.kind,
        found.source_question,
        in_order(found.source_options, found.order),
        (found.uid,),
        found.key if is_number else found.answer,
        found.key if is_number else found.source_answer,
        found.source_explanation,
        _direction(found.source_language, found.target_language),
    )


def _direction(source: str, target: str) -> str:
    """Return the languages of an item that asks for a translation, '' for all others."""
    return str(Direction(source, target)) if source else ""


def _open_line(found: _OpenColumns, row: Row, earlier: Sequence[str]) -> str:
    kind = None if found.kind == _CHOICE else found.kind
    texts = [*earlier, _text_line(found.number, found.origin, found.content_hash)]
    about = (
        f'"source_ids": [{json_text(row.id)}], "level": {json_text(row.level)}, '
        f'"key": {json_text(found.key)}, "option_order": "{found.order}", '
        f'"texts": [{", ".join(texts)}], '
    )
    if kind:
        about += f'"kind": "{kind}", '
    place = (row.subject, row.split, _OPEN, len(row.choices))
    return _ledger_line(place, about, found.provenance, uid=row.id)


def hidden_items(release: Release) -> Iterator[ReleasedItem]:
    """Yield what may be said of the black box; the database counts the options, no text is read.

    Nothing of it could be compared with a source: no key, no hash. The lines of the ledger have no
    id: what review did with an item, in which order and with whom, tells those who know the source
    which of its rows it is.
    """
    subjects = _slugs(release)
    columns = release.items.filter(subset=Subset.BLACK_BOX).values_list(
        "public_id", "subject_id", "split", JsonLength("revision__options"), "provenance"
    )
    for page in _pages(columns, release):
        for uid, subject, split, count, provenance in page:
            slug = subjects[subject]
            line = _ledger_line((slug, split, _BLACK_BOX, count), "", provenance)
            yield ReleasedItem(line, HiddenItem(uid, slug, count))


def withheld_items(release: Release) -> Iterator[ReleasedItem]:
    """Yield what `hidden_items` yields, with the texts that models are asked.

    No key is read, and nothing that tells it: no explanation, no reference answer, no text of the
    source, beside whose public copy the key could be looked up by id.
    """
    subjects = _slugs(release)
    columns = release.items.filter(subset=Subset.BLACK_BOX).values_list(
        "public_id", "subject_id", "split", "kind", "option_order", "provenance",
        "revision__question", "revision__options", "source_language", "target_language",
    )  # fmt: skip
    for page in _pages(columns, release):
        for uid, subject, split, kind, order, provenance, question, options, *languages in page:
            slug, choices = subjects[subject], in_order(options, order)
            line = _ledger_line((slug, split, _BLACK_BOX, len(choices)), "", provenance)
            text = WithheldText(uid, slug, kind, question, choices, _direction(*languages))
            yield ReleasedItem(line, HiddenItem(uid, slug, len(choices)), text)


def _ledger_line(
    place: tuple[str, str, str, int], about: str, provenance: str, *, uid: str = ""
) -> str:
    """Return the line of an item; only of open items `about` and `uid` are told."""
    slug, split, subset, count = place
    named = f'"id": {json_text(uid)}, ' if uid else ""
    return keep_on_one_line(
        f'{{{named}"subject": {json_text(slug)}, "split": "{split}", '
        f'"subset": "{subset}", "option_count": {count}, {about}{provenance[1:]}\n'
    )


def _earlier_texts(revisions: Iterable[int]) -> dict[int, list[str]]:
    """Return number, origin and hash of earlier revisions as JSON, the first first, by revision."""
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


def _pages(columns: Rows, release: Release) -> Iterator[list[tuple[Any, ...]]]:
    """Read all rows in the order of their positions, which run from 0, page by page.

    One query for all would keep a transaction open on PostgreSQL, and on SQLite hold up the
    cleaning of its log, for as long as the files take. Both bounds are named because PostgreSQL
    knows nothing of rows that are as new as these: it would sort all that follow for each page.
    """
    for start in range(0, release.counts["items"], PAGE):
        page = columns.filter(position__gte=start, position__lt=start + PAGE)
        yield list(page.order_by("position"))
