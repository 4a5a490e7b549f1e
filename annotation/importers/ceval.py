"""Reads C-Eval: `<subject>_val.csv` and `_dev.csv`, or a folder a subject, with `id` and A to D.

Uid `<subject>/<split>/<id>`, such as `law/val/0`. C-Eval publishes its test split without answers
and is measured on val, so rows of val are test items and those of dev are dev items.
"""

from collections.abc import Iterator
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import check_options, metadata_of, required_text, text_of
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

name: Final = "ceval"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("The published files of C-Eval with answers: val and dev."),
    files=gettext_noop(
        "<subject>_val and <subject>_dev, or a folder of that name per subject, as CSV, JSONL, "
        "XLSX or Parquet"
    ),
    columns=(
        Column("id", gettext_noop("the number of the row")),
        Column("question", gettext_noop("the question")),
        Column("A … D", gettext_noop("one option per column")),
        Column("answer", gettext_noop("the letter of the correct option")),
        Column("explanation", gettext_noop("the explanation"), is_required=False),
    ),
)
_OPTIONS: Final = ("A", "B", "C", "D")
_REQUIRED: Final = ("id", "question", "A", "B", "answer")
_NAMES: Final = (*_REQUIRED, *_OPTIONS, "explanation", "subject")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns."""
    return 0.9 if columns_of(file, inputs, _NAMES).issuperset(_REQUIRED) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item, val_split="test")


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    subject = subject_of(cells, "subject", about)
    options = check_options(texts_of(cells, _OPTIONS))
    return SourceRow(
        ref=row.ref,
        uid=about.uid(subject, required_text(cells, "id").strip()),
        subject=subject,
        question=required_text(cells, "question"),
        options=options,
        key=key_of(cells, "answer", len(options)),
        split=about.split,
        explanation=text_of(cells, "explanation"),
        metadata=metadata_of(cells, _NAMES),
    )
