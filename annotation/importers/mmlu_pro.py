"""Reads MMLU-Pro: a table with up to ten `options`, `answer` and `answer_index`.

Uid `<category>/<question_id>`; the category is the subject, and `cot_content` the explanation. Rows
of a validation file are dev items with uid `<category>/val/<question_id>`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import (
    RowFault,
    check_options,
    list_of,
    metadata_of,
    required_text,
    text_of,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import (
    PublishedFile,
    key_of,
    letter_at,
    plain_subject,
    read_published,
    subject_of,
)
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of

name: Final = "mmlu_pro"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("The published files of MMLU-Pro, with up to ten options."),
    files=gettext_noop("JSONL, JSON, CSV, XLSX or Parquet; test or validation in the name"),
    columns=(
        Column("question_id", gettext_noop("a number that never changes")),
        Column("category", gettext_noop("the category, which is also the subject")),
        Column("question", gettext_noop("the question")),
        Column("options", gettext_noop("a list of 2 to 10 options")),
        Column("answer", gettext_noop("the letter of the correct option")),
        Column(
            "answer_index",
            gettext_noop("the correct option, counted from 0; it must agree with the letter"),
            is_required=False,
        ),
        Column("cot_content", gettext_noop("the explanation"), is_required=False),
        Column("src", gettext_noop("kept as metadata, like all others"), is_required=False),
    ),
)
_REQUIRED: Final = ("question_id", "category", "question", "options", "answer")
_NAMES: Final = (*_REQUIRED, "answer_index", "cot_content")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns."""
    return 0.95 if columns_of(file, inputs, _NAMES).issuperset(_REQUIRED) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item)


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    category = subject_of(cells, "category", about)
    options = check_options(list_of(cells["options"], "options"))
    return SourceRow(
        ref=row.ref,
        uid=about.uid(plain_subject(category), required_text(cells, "question_id").strip()),
        subject=plain_subject(category),
        question=required_text(cells, "question"),
        options=options,
        key=_key(cells, len(options)),
        split=about.split,
        category=category,
        explanation=text_of(cells, "cot_content"),
        metadata=metadata_of(cells, _NAMES),
    )


def _key(cells: Mapping[str, object], count: int) -> str:
    key = key_of(cells, "answer", count)
    if text_of(cells, "answer_index").strip() and letter_at(cells, "answer_index", count) != key:
        raise RowFault("keys_differ", {"column": "answer_index", "key": key})
    return key
