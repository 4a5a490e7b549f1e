"""Reads MMLU: `<subject>_test.csv`, `_dev.csv` or `_val.csv`, no header, six columns.

Uid `<subject>/<row>` counted from 0; rows of dev and val files are dev items with uid
`<subject>/dev/<row>` and `<subject>/val/<row>`.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from annotation.importers.base import (
    ImportRequest,
    Row,
    RowRef,
    SourceRow,
    Split,
)
from annotation.importers.build import RowFault, check_key, check_options, required_text
from annotation.importers.drive import each_file
from annotation.importers.errors import ImportRefused
from annotation.importers.lines import Record, read_records
from annotation.importers.trees import FILES_TRIED, InputFile, Tree

name: Final = "mmlu"
_COLUMNS: Final = 6
_ROWS_TRIED: Final = 20
_STEM: Final = re.compile(r"(?P<subject>.+)_(?P<part>test|dev|val)")


def detect(tree: Tree) -> float:
    """Look for a file with the ending in its name and a row of six cells, the last a letter."""
    for file in tree.files[:FILES_TRIED]:
        if file.suffix != ".csv" or not _STEM.fullmatch(file.stem):
            continue
        try:
            if any(map(_looks_right, islice(read_records(file, tree), _ROWS_TRIED))):
                return 0.8
        except ImportRefused:
            continue
    return 0.0


def _looks_right(record: Record) -> bool:
    return len(record.cells) == _COLUMNS and record.cells[-1].strip() in tuple("ABCD")


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every subject file."""
    return each_file(request, ".csv", lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    match = _STEM.fullmatch(file.stem)
    subject = match["subject"] if match else file.stem
    part = match["part"] if match else "test"
    split: Split = request.split or ("test" if part == "test" else "dev")
    for index, record in enumerate(read_records(file, request.tree)):
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
