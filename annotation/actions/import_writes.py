"""The second half of an import: write the spooled rows, in the transaction of the caller."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery

from annotation.actions.bulk_insert import insert_rows
from annotation.actions.import_rows import PreparedItem, PreparedRows, PreparedTranslation
from annotation.enums import ItemState, Origin, TranslationState
from annotation.models import (
    Finding,
    ImportJob,
    Item,
    Project,
    Revision,
    Source,
    Subject,
    Translation,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the rows of an import come from; `checksum` is of the file or folder."""

    name: str
    checksum: str
    licence: str
    attribution: str
    import_job: ImportJob | None
    now: datetime


def write_rows(
    *,
    project: Project,
    rows: PreparedRows,
    provenance: Provenance,
    keep_going: Callable[[], None],
) -> None:
    """Insert sources, subjects, items, translations, revisions and findings, and set pointers.

    `keep_going` is called between batches and may raise to give everything up.
    """
    source = _source(project, provenance) if rows.items else None
    subjects = {subject.slug: subject for subject in project.subjects.all()}
    for batch in rows.batches():
        items = [row for row in batch if isinstance(row, PreparedItem)]
        translations = [row for row in batch if isinstance(row, PreparedTranslation)]
        pks = _write_items(project, source, subjects, items, provenance) if source else {}
        if translations:
            _write_translations(project, translations, pks, provenance)
        keep_going()


def _source(project: Project, provenance: Provenance) -> Source:
    source, _created = Source.objects.get_or_create(
        project=project,
        name=provenance.name[:200],
        revision=provenance.checksum[:12],
        defaults={
            "checksum": provenance.checksum,
            "licence": provenance.licence[:100],
            "attribution": provenance.attribution,
            "created_at": provenance.now,
        },
    )
    return source


def _write_items(
    project: Project,
    source: Source,
    subjects: dict[str, Subject],
    rows: Sequence[PreparedItem],
    provenance: Provenance,
) -> dict[str, int]:
    """Insert the items; return their ids by uid."""
    pks = insert_rows(
        Item,
        (
            "subject",
            "uid",
            "split",
            "question",
            "options",
            "key",
            "explanation",
            "level",
            "year",
            "metadata",
            "content_hash",
        ),
        [
            (
                _subject(project, subjects, row).pk,
                row.uid,
                row.split,
                row.question,
                row.options,
                row.key,
                row.explanation,
                row.level,
                row.year,
                row.metadata,
                row.content_hash,
            )
            for row in rows
        ],
        {
            "project": project.pk,
            "source": source.pk,
            "state": ItemState.ACTIVE,
            "state_reason": "",
            "working_translation": None,
            **_made(provenance),
        },
    )
    return dict(zip([row.uid for row in rows], pks, strict=True))


def _made(provenance: Provenance) -> dict[str, Any]:
    """The columns that say how a row came here."""
    job = provenance.import_job
    return {"import_job": job.pk if job else None, "created_at": provenance.now}


def _subject(project: Project, subjects: dict[str, Subject], row: PreparedItem) -> Subject:
    if row.subject not in subjects:
        subjects[row.subject] = Subject.objects.create(
            project=project,
            slug=row.subject,
            name=row.subject.replace("_", " "),
            category=row.category,
            dimension=row.metadata.get("dimension", "")[:100],
            level=row.level,
        )
    elif row.category and not subjects[row.subject].category:
        subjects[row.subject].category = row.category
        subjects[row.subject].save(update_fields=["category"])
    return subjects[row.subject]


def _write_translations(
    project: Project,
    rows: Sequence[PreparedTranslation],
    new_items: dict[str, int],
    provenance: Provenance,
) -> None:
    item_of = new_items | _items_there(project, {row.uid for row in rows} - new_items.keys())
    translations = insert_rows(
        Translation,
        ("item", "system"),
        [(item_of[row.uid], row.system) for row in rows],
        {
            "state": TranslationState.PENDING,
            "current_revision": None,
            "created_at": provenance.now,
        },
    )
    revisions = insert_rows(
        Revision,
        ("translation", "question", "options", "key", "raw", "content_hash"),
        [
            (translation, row.question, row.options, row.key, row.raw, row.content_hash)
            for translation, row in zip(translations, rows, strict=True)
        ],
        {
            "number": 1,
            "supersedes": None,
            "origin": Origin.IMPORTED,
            "author": None,
            **_made(provenance),
        },
    )
    _write_findings(rows, revisions, provenance.now)
    _set_pointers(translations)


def _items_there(project: Project, uids: set[str]) -> dict[str, int]:
    if not uids:
        return {}
    return dict(Item.objects.filter(project=project, uid__in=uids).values_list("uid", "pk"))


def _write_findings(
    rows: Sequence[PreparedTranslation], revisions: Sequence[int], now: datetime
) -> None:
    insert_rows(
        Finding,
        ("revision", "code", "severity", "field", "start", "end", "data"),
        [
            (revision, *problem)
            for revision, row in zip(revisions, rows, strict=True)
            for problem in row.problems
        ],
        {
            "dismissed_at": None,
            "dismissed_by": None,
            "dismissal_reason": "",
            "created_at": now,
        },
    )


def _set_pointers(translation_ids: Sequence[int]) -> None:
    """Make the first revision current, and an item's first translation the one under review."""
    first_revision = Revision.objects.filter(translation=OuterRef("pk"), number=1).values("pk")
    Translation.objects.filter(pk__in=translation_ids).update(
        current_revision=Subquery(first_revision[:1])
    )
    first_translation = Translation.objects.filter(item=OuterRef("pk")).order_by("pk").values("pk")
    Item.objects.filter(translations__in=translation_ids, working_translation__isnull=True).update(
        working_translation=Subquery(first_translation[:1])
    )
