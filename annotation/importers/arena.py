"""Reads prompts that ask for a free answer, as arenas use them: `uid`, `prompt` and `topic`.

The topic is the subject. `reference` is an answer to compare with, if there is one; other columns
are kept as metadata.
"""

from collections.abc import Iterator
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import RowFault, metadata_of, required_text, text_of, uid_in
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import PublishedFile, read_published
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of

name: Final = "arena"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("Prompts that ask for a free answer."),
    files=gettext_noop("JSONL, JSON, CSV, TSV, XLSX or Parquet"),
    columns=(
        Column("uid", gettext_noop("a name that never changes")),
        Column("prompt", gettext_noop("what a model is asked")),
        Column("topic", gettext_noop("the subject")),
        Column("reference", gettext_noop("an answer to compare with"), is_required=False),
    ),
)
_REQUIRED: Final = ("uid", "prompt", "topic")
_NAMES: Final = (*_REQUIRED, "reference")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns."""
    return 0.9 if columns_of(file, inputs, _NAMES).issuperset(_REQUIRED) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item)


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    topic = text_of(cells, "topic").strip()
    if not topic:
        raise RowFault("no_subject", {"column": "topic"})
    return SourceRow(
        ref=row.ref,
        uid=uid_in(cells),
        subject=topic,
        question=required_text(cells, "prompt"),
        options=(),
        key="",
        kind="open",
        answer=text_of(cells, "reference"),
        split=about.split,
        metadata=metadata_of(cells, set(_NAMES)),
    )
