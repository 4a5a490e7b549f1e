"""Writes the rows of an import to its batch: ids are drawn first, so no row is touched twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from annotation.enums import ItemState, Origin, TranslationState
from annotation.imports.batches import ImportConflict, OpenBatch, touch_batch
from annotation.imports.preparation import PreparedItem, PreparedRow, PreparedTranslation
from annotation.index import FLAGS, flags_of
from annotation.models import (
    Finding,
    ImportBatch,
    Item,
    ItemSearchText,
    Revision,
    Translation,
    TranslationSearchText,
)
from annotation.natural_order import natural_order
from annotation.search_text import search_text
from common.bulk_insert import draw_ids, insert_rows
from projects.models import Project, Source, Subject

_SAID_OF_ITEM: Final = (
    "split",
    "question",
    "options",
    "key",
    "kind",
    "answer",
    "explanation",
    "level",
    "year",
    "metadata",
    "content_hash",
)
_SAID_OF_TEXT: Final = (
    *("question", "options", "key", "raw", "content_hash"),
    *("answer", "explanation"),
)
_SAID_OF_SOURCE: Final = ("url", "licence", "attribution")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What the rows of an import come from; `checksum` is of the file or folder."""

    name: str
    checksum: str
    version: str = ""
    url: str = ""
    licence: str = ""
    attribution: str = ""


@dataclass(slots=True, kw_only=True)
class ImportWriter:
    """Writes rows to one batch; each call of `write` is one short transaction.

    It remembers the sources and subjects, and what `finish` does to them when the batch is shown:
    the ids of those that are hidden until then, and the categories that subjects get.
    """

    project: Project
    batch: OpenBatch
    provenance: Provenance
    now: datetime
    sources: dict[str, Source] = field(default_factory=dict)
    subjects: dict[str, Subject] = field(default_factory=dict)
    categories: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.subjects.update({subject.slug: subject for subject in self.project.subjects.all()})

    @transaction.atomic
    def write(self, rows: Sequence[PreparedRow], now: datetime) -> None:
        """Insert items, translations, revisions, findings and search texts, pointers included.

        Translations are inserted in the order of their items, as jobs that translate do: in another
        order, the two could wait for each other over texts of the same system.
        Raises ImportConflict, and IntegrityError where another import was quicker.
        """
        touch_batch(self.batch, now)
        items = [row for row in rows if isinstance(row, PreparedItem)]
        translations = [row for row in rows if isinstance(row, PreparedTranslation)]
        translations.sort(key=lambda row: row.item)
        item_ids = dict(zip((row.uid for row in items), draw_ids(Item, len(items)), strict=True))
        ids = draw_ids(Translation, len(translations))
        working: dict[str, tuple[int, PreparedTranslation]] = {}
        for row, pk in zip(translations, ids, strict=True):
            if row.uid in item_ids:
                working.setdefault(row.uid, (pk, row))
        self._write_items(items, item_ids, working)
        self._write_translations(translations, ids, item_ids)
        self._check_items({row.item for row in translations if row.item})

    def finish(self) -> None:
        """Show new subjects and sources, and give old ones what the rows and options say of them.

        Call it in the transaction that shows the batch.
        """
        for model, named in ((Subject, self.subjects), (Source, self.sources)):
            hidden = [row.pk for row in named.values() if row.is_hidden]
            model.all_rows.filter(pk__in=hidden).update(is_hidden=False)
        for subject, category in self.categories.items():
            Subject.objects.filter(pk=subject, category="").update(category=category)
        for source in self.sources.values():
            missing = {
                name: value
                for name, value in self._said_of_source().items()
                if value and not getattr(source, name)
            }
            if missing:
                Source.objects.filter(pk=source.pk).update(**missing)

    def _write_items(
        self,
        rows: Sequence[PreparedItem],
        ids: Mapping[str, int],
        working: Mapping[str, tuple[int, PreparedTranslation]],
    ) -> None:
        """Insert items with the search texts and flags that `annotation.index` would give."""
        if not rows:
            return
        values = [self._item_values(row, ids[row.uid], *working.get(row.uid, ())) for row in rows]
        insert_rows(
            Item,
            ("id", "uid", "uid_order", "subject", "working_translation", *FLAGS, *_SAID_OF_ITEM),
            values,
            {
                "project": self.project.pk,
                "source": self._source("").pk,
                "state": ItemState.ACTIVE,
                "state_reason": "",
                "import_batch": self.batch.pk,
                "created_at": self.now,
            },
        )
        texts = [(ids[row.uid], search_text(row, uid=row.uid)) for row in rows]
        insert_rows(ItemSearchText, ("item", "text"), texts, {}, is_indexed_by_triggers=True)

    def _item_values(
        self,
        row: PreparedItem,
        pk: int,
        working: int | None = None,
        text: PreparedTranslation | None = None,
    ) -> tuple[Any, ...]:
        severities = {problem.severity for problem in text.problems} if text else set()
        said = (getattr(row, name) for name in _SAID_OF_ITEM)
        order = natural_order(row.uid)
        return (pk, row.uid, order, self._subject(row).pk, working, *flags_of(severities), *said)

    def _write_translations(
        self,
        rows: Sequence[PreparedTranslation],
        ids: Sequence[int],
        item_ids: Mapping[str, int],
    ) -> None:
        revisions = draw_ids(Revision, len(rows))
        made = {"created_at": self.now}
        insert_rows(
            Translation,
            ("id", "item", "system", "source", "current_revision"),
            [
                (pk, row.item or item_ids[row.uid], row.system, self._source(row.system).pk, first)
                for row, pk, first in zip(rows, ids, revisions, strict=True)
            ],
            {"state": TranslationState.PENDING, "import_batch": self.batch.pk, **made},
        )
        insert_rows(
            Revision,
            ("id", "translation", *_SAID_OF_TEXT),
            [
                (pk, parent, *(getattr(row, name) for name in _SAID_OF_TEXT))
                for row, pk, parent in zip(rows, revisions, ids, strict=True)
            ],
            {"number": 1, "supersedes": None, "origin": Origin.IMPORTED, "author": None, **made},
        )
        insert_rows(
            Finding,
            ("revision", "code", "severity", "field", "start", "end", "data"),
            [
                (pk, p.code, p.severity, p.field, p.start, p.end, dict(p.data))
                for row, pk in zip(rows, revisions, strict=True)
                for p in row.problems
            ],
            {"dismissed_at": None, "dismissed_by": None, "dismissal_reason": "", **made},
        )
        texts = [(pk, search_text(row)) for row, pk in zip(rows, ids, strict=True) if row.is_first]
        insert_rows(
            TranslationSearchText, ("translation", "text"), texts, {}, is_indexed_by_triggers=True
        )

    @staticmethod
    def _check_items(there: set[int]) -> None:
        """Raise ImportConflict where an item was undone since the rows were compared with it.

        None can be undone from the moment on at which the batch was opened.
        """
        if there and Item.objects.filter(pk__in=there).count() != len(there):
            raise ImportConflict

    def _source(self, system: str) -> Source:
        """The source that these rows come from, hidden if it is new."""
        if system not in self.sources:
            given = self.provenance
            source, _new = Source.all_rows.get_or_create(
                project=self.project,
                name=given.name[:200],
                revision=(given.version or given.checksum[:12])[:100],
                system=system,
                defaults={
                    "checksum": given.checksum,
                    "is_hidden": True,
                    "created_at": self.now,
                    **self._said_of_source(),
                },
            )
            self.sources[system] = source
            self._note_hidden("new_sources", source)
        return self.sources[system]

    def _said_of_source(self) -> dict[str, str]:
        said = {name: getattr(self.provenance, name) for name in _SAID_OF_SOURCE}
        return said | {"licence": said["licence"][:100]}

    def _subject(self, row: PreparedItem) -> Subject:
        subject = self.subjects.get(row.subject)
        if subject is None:
            subject, _new = Subject.all_rows.get_or_create(
                project=self.project,
                slug=row.subject,
                defaults={
                    "name": row.subject.replace("_", " "),
                    "category": row.category,
                    "dimension": row.metadata.get("dimension", "")[:100],
                    "level": row.level,
                    "is_hidden": True,
                },
            )
            self.subjects[row.subject] = subject
            self._note_hidden("new_subjects", subject)
        if row.category and not subject.category:
            self.categories[subject.pk] = row.category
        return subject

    def _note_hidden(self, name: str, row: Subject | Source) -> None:
        """Note on the batch what to remove with it, unless another import has shown it by then."""
        if row.is_hidden:
            batch = ImportBatch.objects.get(pk=self.batch.pk)
            getattr(batch, name).append(row.pk)
            batch.save(update_fields=[name])
