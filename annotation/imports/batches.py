"""The life of an import batch: opened, shown all at once, or removed with every row in it."""

import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext_lazy as _

from annotation.index import refresh_finding_flags
from annotation.models import (
    Finding,
    ImportBatch,
    ImportJob,
    Item,
    ItemSearchText,
    Revision,
    Translation,
    TranslationSearchText,
)
from common.errors import DomainError
from jobs.processes import process_exists
from projects.locks import lock_project
from projects.models import Project, Source, Subject

ROWS_AT_ONCE = 500
POINTERS_AT_ONCE = 1000
POINTING_SECONDS = 0.15
ABANDONED_AFTER = timedelta(minutes=10)
ANALYSE_FROM = 400
ANALYSE_AGAIN = 4


class ImportConflict(DomainError):
    code = "import_conflict"
    detail = _(
        "Nothing was imported, because some of these items are being added or removed right now. "
        "Wait until that is done, then import the file again."
    )


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch that this process writes; `writer` is its own name for as long as it does."""

    pk: int
    writer: str

    @property
    def rows(self) -> QuerySet[ImportBatch]:
        return ImportBatch.objects.filter(pk=self.pk, writer=self.writer, finished_at__isnull=True)


def open_batch(*, project: Project, import_job: ImportJob | None, now: datetime) -> OpenBatch:
    """Begin to write; what a killed or interrupted import of the project left is removed first."""
    _clear(project, import_job, now)
    with transaction.atomic():
        # Whoever undoes an import locks it too, and finds this one under way or not begun.
        lock_project(project.pk)
        batch = ImportBatch.objects.create(
            project=project,
            import_job=import_job,
            writer=_own_name(),
            started_at=now,
            touched_at=now,
        )
    return OpenBatch(batch.pk, batch.writer)


def touch_batch(batch: OpenBatch, now: datetime) -> None:
    """Note that the batch is being written; call it in each transaction that adds rows.

    Raises ImportConflict where the batch was taken for abandoned and removed: then the rows of
    this transaction must not stay.
    """
    if not batch.rows.update(touched_at=now):
        raise ImportConflict


def show_batch(batch: OpenBatch, now: datetime) -> int | None:
    """Show every row of the batch, in the transaction of the caller. Raises ImportConflict.

    Its translations come under review of items that have none, of as many as can be pointed to
    without making others wait: about 15,000. Returns the last translation looked at for
    `set_pointers`, None when that was the last one of all.
    """
    if not batch.rows.update(finished_at=now):
        raise ImportConflict
    enough = time.monotonic() + POINTING_SECONDS
    last: int | None = 0
    while last is not None and time.monotonic() < enough:
        last = _point_items(batch.pk, after=last)
    return last


def set_pointers(batch: int, *, after: int | None = 0) -> None:
    """Make the batch's translations the ones under review of items that have none yet.

    Runs after the batch is shown and in short transactions, since items are wide rows; running it
    again changes nothing. An item's first translation wins.
    """
    while after is not None:
        with short_transaction():
            after = _point_items(batch, after=after)
    ImportBatch.objects.filter(pk=batch).update(has_pointers=True)


def _point_items(batch: int, *, after: int) -> int | None:
    """Set the pointers of a few items; return the last translation looked at, None at the end.

    The flags of findings follow; search texts were written with the translations.
    """
    rows = Translation.objects.filter(import_batch=batch, pk__gt=after).order_by("pk")
    ids: list[int] = list(rows.values_list("pk", flat=True)[:POINTERS_AT_ONCE])
    if not ids:
        return None
    some = rows.filter(pk__lte=ids[-1]).order_by()
    first = Translation.objects.filter(item=OuterRef("pk")).order_by("pk").values("pk")[:1]
    bare = Item.objects.filter(pk__in=some.values("item"), working_translation__isnull=True)
    bare.update(working_translation=Subquery(first))
    found = Finding.objects.open().filter(revision__in=some.values("current_revision"))
    refresh_finding_flags(found.values_list("revision__translation__item", flat=True))
    return ids[-1]


def is_being_written(project: Project, now: datetime) -> bool:
    """Whether an import of the project is being written or removed at this moment."""
    rows = ImportBatch.objects.filter(project=project, finished_at__isnull=True)
    return any(not _is_abandoned(batch, now) for batch in rows)


def hide_batch(batch: ImportBatch, now: datetime) -> None:
    """Hide every row of a finished batch, in the transaction of the caller.

    Nothing but the batch itself may point to its rows any more.
    """
    ImportBatch.objects.filter(pk=batch.pk).update(
        finished_at=None, has_pointers=False, touched_at=now, writer=_own_name()
    )


def discard_batch(batch: int, *, watch: Callable[[], None] = lambda: None) -> None:
    """Remove a batch that is not finished with all its rows, in short transactions.

    Nobody can refer to the rows, since nobody has seen them. Taking the writer's name first makes
    a writer that is still alive stop at its next transaction. `watch` is called between the
    transactions and may raise.
    """
    if not ImportBatch.objects.filter(pk=batch, finished_at__isnull=True).update(
        writer=_own_name()
    ):
        return
    while ids := _some(Translation.all_rows.filter(import_batch=batch)):
        watch()
        with short_transaction():
            _delete_translations(ids)
    while ids := _some(Item.all_rows.filter(import_batch=batch)):
        watch()
        with short_transaction():
            _delete_items(ids)
    with transaction.atomic():
        row = ImportBatch.objects.filter(pk=batch).first()
        if row is None:  # whoever imports next may have removed it too
            return
        subjects = Subject.all_rows.filter(pk__in=row.new_subjects, is_hidden=True)
        subjects.filter(items__isnull=True).delete()
        sources = Source.all_rows.filter(pk__in=row.new_sources, is_hidden=True)
        sources.filter(items__isnull=True, translations__isnull=True).delete()
        row.delete()


@dataclass(slots=True)
class TableAnalyser:
    """Lets PostgreSQL count again after many new rows: without it, it plans for empty tables.

    Foreign keys are checked with plans too, made when the first row comes and kept: the check of
    a row in a table that was empty then reads the whole table, until the tables are counted.
    """

    is_needed: bool = field(default_factory=lambda: connection.vendor == "postgresql")
    rows: int = 0
    next_at: int = ANALYSE_FROM

    def note(self, rows: int) -> None:
        """Note that some rows were written, and count again where that makes them many more."""
        self.rows += rows
        if self.is_needed and self.rows >= self.next_at:
            self.next_at = self.rows * ANALYSE_AGAIN
            analyse_tables()

    def finish(self) -> None:
        """Count once more after the last of many rows."""
        if self.is_needed and self.rows >= ANALYSE_FROM:
            analyse_tables()


def analyse_tables() -> None:
    """Let PostgreSQL count the rows of the tables that imports write."""
    models = (Item, ItemSearchText, Translation, TranslationSearchText, Revision, Finding)
    tables = [connection.ops.quote_name(model._meta.db_table) for model in models]
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(tables)}")


def _clear(project: Project, import_job: ImportJob | None, now: datetime) -> None:
    """Finish or remove the batches whose writer is gone, and earlier ones of the same job."""
    rows = ImportBatch.objects.filter(project=project, has_pointers=False).order_by("pk")
    for batch in rows:
        is_own = import_job is not None and batch.import_job_id == import_job.pk
        if not is_own and not _is_abandoned(batch, now):
            continue
        if batch.finished_at:
            set_pointers(batch.pk)
        else:
            discard_batch(batch.pk)


def _is_abandoned(batch: ImportBatch, now: datetime) -> bool:
    """Whether nobody writes the batch any more: its process is gone, or silent for long."""
    if batch.touched_at < now - ABANDONED_AFTER:
        return True
    host, pid, _rest = batch.writer.rsplit("/", 2)
    return host == socket.gethostname() and not process_exists(int(pid))


def _own_name() -> str:
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"


def _some(rows: QuerySet[Any]) -> Sequence[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE])


def _delete_items(ids: Sequence[int]) -> None:
    _delete(ItemSearchText.objects.filter(pk__in=ids))
    _delete(Item.all_rows.filter(pk__in=ids))


def _delete_translations(ids: Sequence[int]) -> None:
    """Delete translations, their revisions and findings, and new items that point to them."""
    revisions = list(Revision.objects.filter(translation__in=ids).values_list("pk", flat=True))
    Item.all_rows.filter(working_translation__in=ids, import_batch__isnull=False).update(
        working_translation=None
    )
    _delete(Finding.objects.filter(revision__in=revisions))
    _delete(Revision.objects.filter(pk__in=revisions))
    _delete(TranslationSearchText.objects.filter(pk__in=ids))
    _delete(Translation.all_rows.filter(pk__in=ids))


@contextmanager
def short_transaction() -> Iterator[None]:
    """A transaction, and on SQLite a pause as long as it took.

    SQLite doesn't queue writers: whoever waits for the lock only looks now and then whether it is
    free, so it has to be free half of the time.
    """
    with transaction.atomic():
        start = time.monotonic()
        yield
    if connection.vendor == "sqlite":
        time.sleep(time.monotonic() - start)


def _delete(rows: QuerySet[Any]) -> None:
    """Delete without looking for rows that refer to these; the database still holds the keys."""
    rows._raw_delete(rows.db)  # noqa: SLF001
