"""Reads TMLU: a table with the options A to F, null where an item has fewer, and `metadata`.

`metadata` may hold subject, year and level; what else it holds is kept. Without a subject there,
the file names it: `<subject>_test.jsonl`, `<subject>_dev.jsonl`, or a folder of that name. Uid
`<subject>/<row>` counted from 0, with `dev/` before the number of dev items.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import (
    RowFault,
    check_options,
    metadata_of,
    required_text,
    text_of,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import (
    PublishedFile,
    key_of,
    read_published,
    subject_of,
    texts_of,
)
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of

name: Final = "tmlu"
suffixes: Final = ANY_SUFFIXES - {".csv", ".tsv", ".xlsx"}
layout: Final = Layout(
    summary=gettext_noop("The published files of TMLU."),
    files=gettext_noop(
        "JSONL, JSON or Parquet; <subject>_test and <subject>_dev, or a folder per subject"
    ),
    columns=(
        Column("question", gettext_noop("the question")),
        Column("A … F", gettext_noop("one option per column, null if the item has fewer")),
        Column("answer", gettext_noop("the letter of the correct option")),
        Column("explanation", gettext_noop("the explanation"), is_required=False),
        Column(
            "metadata",
            gettext_noop("an object with subject, year and level; the rest of it is kept"),
            is_required=False,
        ),
    ),
)
_OPTIONS: Final = ("A", "B", "C", "D", "E", "F")
_REQUIRED: Final = ("question", "A", "B", "answer")
_SAID: Final = ("subject", "year", "level")
_NAMES: Final = (*_REQUIRED, *_OPTIONS, "explanation", "metadata", *_SAID)


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns without the number that rows of C-Eval have."""
    columns = columns_of(file, inputs, _NAMES)
    return 0.85 if columns.issuperset(_REQUIRED) and "id" not in columns else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item)


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = {**row.cells, **_metadata(row.cells.get("metadata"), row.cells)}
    subject = subject_of(cells, "subject", about)
    uid = about.next_uid(subject)
    options = check_options(texts_of(cells, _OPTIONS))
    return SourceRow(
        ref=row.ref,
        uid=uid,
        subject=subject,
        question=required_text(cells, "question"),
        options=options,
        key=key_of(cells, "answer", len(options)),
        split=about.split,
        explanation=text_of(cells, "explanation"),
        level=text_of(cells, "level"),
        year=text_of(cells, "year"),
        metadata=metadata_of(cells, _NAMES),
    )


def _metadata(value: object, cells: Mapping[str, object]) -> dict[str, object]:
    """Return what the object `metadata` says; it may not say otherwise than the row itself."""
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise RowFault("bad_metadata", {"column": "metadata"}) from error
    if value is None or value == "":
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise RowFault("bad_metadata", {"column": "metadata"})
    clash = next((name for name in value if name in cells and value[name] != cells[name]), None)
    if clash is not None:
        raise RowFault("repeated_column", {"column": clash})
    return dict(value)
