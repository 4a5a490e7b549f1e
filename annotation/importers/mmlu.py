"""Reads MMLU as its authors publish it, and as Hugging Face has it.

The authors' files are `<subject>_test.csv`, `_dev.csv` or `_val.csv` (or XLSX) without a header, in
six columns. Hugging Face has tables with `question`, `subject`, `choices` (or `options`) and `answer`,
which counts the choices from 0. Uid `<subject>/<row>` counted from 0 in each subject; rows of dev and val files
are dev items with uid `<subject>/dev/<row>` and `<subject>/val/<row>`. A column `uid` wins.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from annotation.importers.base import (
    Column,
    ImportRequest,
    Layout,
    Row,
    RowRef,
    SourceRow,
    Split,
)
from annotation.importers.cells import (
    RowFault,
    check_key,
    check_options,
    is_list,
    list_of,
    metadata_of,
    required_text,
    uid_in,
)
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import (
    PublishedFile,
    letter_at,
    published_file,
    read_published,
    subject_of,
)
from annotation.importers.reading import each_file
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of, first_row, read_cells
from annotation.importers.text_files import Record
from languages.letters import position_of

name: Final = "mmlu"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop(
        "The published files of MMLU: tables without a header, or the columns of Hugging Face."
    ),
    files=gettext_noop(
        "<subject>_test, <subject>_dev or <subject>_val, as .csv or .xlsx without a header; or "
        "JSONL, JSON, CSV, XLSX or Parquet with the columns below"
    ),
    columns=(
        Column(
            gettext_noop("question, or 1st column without a header"), gettext_noop("the question")
        ),
        Column(
            gettext_noop("choices or options, or 2nd to 5th column"),
            gettext_noop("the options, as a list"),
        ),
        Column(
            gettext_noop("answer, or 6th column"),
            gettext_noop("the correct option: counted from 0, or its letter"),
        ),
        Column(
            "subject",
            gettext_noop("the subject, if the name of the file does not say it"),
            is_required=False,
        ),
        Column("uid", gettext_noop("a name that never changes"), is_required=False),
    ),
)
_NAMED: Final = ("question", "answer")
_LISTS: Final = ("choices", "options")
_NAMES: Final = (*_NAMED, *_LISTS, "subject", "uid")
_OF_OTHERS: Final = frozenset({"key", "kind"})
_WITHOUT_HEADER: Final = frozenset({".csv", ".xlsx"})
_COLUMNS: Final = 6
_ROWS_TRIED: Final = 20
_STEM: Final = re.compile(r"\A(?P<subject>.+)_(?P<part>test|dev|val)")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the named columns, or for the file's ending and a row of six cells, the last a letter."""
    first = first_row(file, inputs, _NAMES)
    if first.keys() >= {*_NAMED} and is_list(first.get("choices")):
        return 0.92
    if (
        first.keys() >= {*_NAMED}
        and is_list(first.get("options"))
        and first.keys().isdisjoint(_OF_OTHERS)
    ):
        return 0.91
    if file.suffix not in _WITHOUT_HEADER or not _STEM.fullmatch(file.stem):
        return 0.0
    try:
        rows = islice(read_cells(file, inputs), _ROWS_TRIED)
        return 0.8 if any(map(_looks_right, rows)) else 0.0
    except ImportRefused:
        return 0.0


def _looks_right(record: Record) -> bool:
    return (
        len(record.cells) == _COLUMNS
        and position_of(record.cells[-1].strip(), _COLUMNS - 2) is not None
    )


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every subject file."""
    named = [file for file in request.inputs.files if _has_names(file, request.inputs)]
    bare = [file for file in request.inputs.files if file not in named]
    if bare:
        inputs = replace(request.inputs, files=tuple(bare))
        given = replace(request, inputs=inputs)
        yield from each_file(given, _WITHOUT_HEADER, lambda file: _read_bare(file, given))
    if named:
        given = replace(request, inputs=replace(request.inputs, files=tuple(named)))
        yield from read_published(given, suffixes, _NAMES, _NAMED, _named_item)


def _has_names(file: InputFile, inputs: InputFiles) -> bool:
    if file.suffix not in _WITHOUT_HEADER:
        return True
    return not columns_of(file, inputs, _NAMES).isdisjoint({*_LISTS, "question"})


def _named_item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    subject = subject_of(cells, "subject", about)
    uid = about.next_uid(subject)
    column = "options" if "options" in cells and "choices" not in cells else "choices"
    if column not in cells:
        raise RowFault("missing_column", {"file": row.ref.file, "column": column})
    options = check_options(list_of(cells[column], column))
    return SourceRow(
        ref=row.ref,
        uid=uid_in(cells) if cells.get("uid") else uid,
        subject=subject,
        question=required_text(cells, "question"),
        options=options,
        key=letter_at(cells, "answer", len(options)),
        split=about.split,
        metadata=metadata_of(cells, _NAMES),
    )


def _read_bare(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    about = published_file(file, request)
    subject = about.subject or file.stem
    for record in read_cells(file, request.inputs):
        ref = RowRef(file.name, record.row)
        uid = about.next_uid(subject)
        try:
            yield _item(record, ref, subject, uid, about.split)
        except RowFault as fault:
            yield fault.at(ref)


def _item(record: Record, ref: RowRef, subject: str, uid: str, split: Split) -> SourceRow:
    if len(record.cells) != _COLUMNS:
        data = {"expected": _COLUMNS, "found": len(record.cells)}
        raise RowFault("column_count", data)
    question, *options, key = record.cells
    checked = check_options(options)
    return SourceRow(
        ref=ref,
        uid=uid,
        subject=subject,
        question=required_text({"question": question}, "question"),
        options=checked,
        key=check_key(key, len(checked)),
        split=split,
    )
