"""Reads Global-MMLU: a table with `sample_id`, `option_a` to `option_d` and tags of culture.

The uid is the `sample_id`, such as `anatomy/test/0`, whose middle is the split. The tags
(`cultural_sensitivity_label`, `region` and others) are kept as metadata.
"""

from collections.abc import Iterator
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import (
    check_options,
    metadata_of,
    options_of,
    required_text,
    text_of,
    uid_in,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import PublishedFile, key_of, read_published, subject_of
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of

name: Final = "global_mmlu"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("The published files of Global-MMLU."),
    files=gettext_noop("JSONL, JSON, CSV, XLSX or Parquet"),
    columns=(
        Column("sample_id", gettext_noop("a name such as anatomy/test/0; it becomes the uid")),
        Column("subject", gettext_noop("the subject")),
        Column("question", gettext_noop("the question")),
        Column("option_a … option_d", gettext_noop("one option per column")),
        Column("answer", gettext_noop("the letter of the correct option")),
        Column("subject_category", gettext_noop("the category of the subject"), is_required=False),
        Column(
            "cultural_sensitivity_label …",
            gettext_noop("tags; they and all other columns are kept as metadata"),
            is_required=False,
        ),
    ),
)
_REQUIRED: Final = ("sample_id", "subject", "question", "option_a", "option_b", "answer")
_NAMES: Final = (*_REQUIRED, "option_c", "option_d", "subject_category")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns."""
    return 0.95 if columns_of(file, inputs, _NAMES).issuperset(_REQUIRED) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item)


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    uid = uid_in({"uid": cells["sample_id"]})
    options = check_options(options_of(cells))
    return SourceRow(
        ref=row.ref,
        uid=uid,
        subject=subject_of(cells, "subject", about),
        question=required_text(cells, "question"),
        options=options,
        key=key_of(cells, "answer", len(options)),
        split="dev" if "/dev/" in uid else about.split,
        category=text_of(cells, "subject_category"),
        metadata=metadata_of(cells, _NAMES),
    )
