"""Reads items that ask for a translation: a text, its reference and the direction.

Columns: `uid`, `source` (or `source_text`), `reference`, and optionally `direction` and `subject`;
others are kept as metadata. Without a subject, the direction is the subject.
"""

from collections.abc import Iterator
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import (
    RowFault,
    metadata_of,
    required_text,
    text_of,
    uid_in,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import PublishedFile, read_published
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of

name: Final = "translation_items"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("Items that ask for a translation of a text."),
    files=gettext_noop("JSONL, JSON, CSV, TSV, XLSX or Parquet"),
    columns=(
        Column("uid", gettext_noop("a name that never changes")),
        Column("source / source_text", gettext_noop("the text to translate")),
        Column("reference", gettext_noop("the reference translation")),
        Column("direction", gettext_noop("the two languages, such as zh-bo"), is_required=False),
        Column(
            "subject", gettext_noop("the subject; the direction if left out"), is_required=False
        ),
    ),
)
_REQUIRED: Final = ("uid", "reference")
_TEXTS: Final = ("source_text", "source")
_NAMES: Final = (*_REQUIRED, *_TEXTS, "direction", "subject")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns."""
    columns = columns_of(file, inputs, _NAMES)
    return 0.9 if columns.issuperset(_REQUIRED) and not columns.isdisjoint(_TEXTS) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item)


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    column = next((text for text in _TEXTS if text in cells), "")
    if not column:
        raise RowFault("missing_column", {"file": row.ref.file, "column": "source"})
    direction = text_of(cells, "direction").strip()
    subject = text_of(cells, "subject").strip() or direction or about.subject
    if not subject:
        raise RowFault("no_subject", {"column": "subject"})
    return SourceRow(
        ref=row.ref,
        uid=uid_in(cells),
        subject=subject,
        question=required_text(cells, column),
        options=(),
        key="",
        kind="translation",
        answer=required_text(cells, "reference"),
        split=about.split,
        metadata=metadata_of(cells, {*_REQUIRED, column, "subject"}),
    )
