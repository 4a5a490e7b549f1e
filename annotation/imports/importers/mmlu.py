"""Reads MMLU: `<subject>_test.csv`, `_dev.csv` or `_val.csv` (or XLSX), no header, six columns.

Uid `<subject>/<row>` counted from 0; rows of dev and val files are dev items with uid
`<subject>/dev/<row>` and `<subject>/val/<row>`.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from annotation.imports.importers.base import (
    Column,
    ImportRequest,
    Layout,
    Row,
    RowRef,
    SourceRow,
    Split,
)
from annotation.imports.importers.cells import RowFault, check_key, check_options, required_text
from annotation.imports.importers.errors import ImportRefused
from annotation.imports.importers.input_files import InputFile, InputFiles
from annotation.imports.importers.labels import gettext_noop
from annotation.imports.importers.reading import each_file
from annotation.imports.importers.tables import read_cells
from annotation.imports.importers.text_files import Record
from languages.letters import position_of

name: Final = "mmlu"
suffixes: Final = frozenset({".csv", ".xlsx"})
layout: Final = Layout(
    summary=gettext_noop("The published files of MMLU: tables without a header."),
    files=gettext_noop("<subject>_test, <subject>_dev or <subject>_val, as .csv or .xlsx"),
    columns=(
        Column(gettext_noop("1st column"), gettext_noop("the question")),
        Column(gettext_noop("2nd to 5th column"), gettext_noop("the four options")),
        Column(gettext_noop("6th column"), gettext_noop("the letter of the correct option")),
    ),
)
_COLUMNS: Final = 6
_ROWS_TRIED: Final = 20
_STEM: Final = re.compile(r"(?P<subject>.+)_(?P<part>test|dev|val)")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the ending in the file's name and a row of six cells, the last a letter."""
    if not _STEM.fullmatch(file.stem):
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
    return each_file(request, suffixes, lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    match = _STEM.fullmatch(file.stem)
    subject = match["subject"] if match else file.stem
    part = match["part"] if match else "test"
    split: Split = request.split or ("test" if part == "test" else "dev")
    for index, record in enumerate(read_cells(file, request.inputs)):
        ref = RowRef(file.name, record.row)
        folder = "" if split == "test" else f"{part if part != 'test' else 'dev'}/"
        try:
            yield _item(record, ref, subject, f"{subject}/{folder}{index}", split)
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
