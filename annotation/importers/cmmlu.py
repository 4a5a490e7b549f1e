"""Reads CMMLU: folders `test` and `dev` of `<subject>.csv` with a header and an index column.

Uid `<subject>/<index>`; rows of the dev folder are dev items with uid `<subject>/dev/<index>`,
so that row 0 of both is two items.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import (
    LETTERS,
    MAX_INDEX_DIGITS,
    MAX_OPTIONS,
    ImportRequest,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
)
from annotation.importers.build import RowFault, check_key, check_options, required_text
from annotation.importers.drive import each_file, folder_names
from annotation.importers.errors import ImportRefused
from annotation.importers.lines import Record, read_records
from annotation.importers.trees import FILES_TRIED, InputFile, Tree

name: Final = "cmmlu"
_COLUMNS: Final = ("Question", "A", "B", "Answer")


def uid_of(subject: str, index: int, split: Split) -> str:
    """Return the uid of a CMMLU item; test and dev items never share one."""
    return f"{subject}/{index}" if split == "test" else f"{subject}/dev/{index}"


def detect(tree: Tree) -> float:
    """Look for a CSV file with the header."""
    for file in tree.files[:FILES_TRIED]:
        if file.suffix != ".csv":
            continue
        try:
            header = next(read_records(file, tree), None)
        except ImportRefused:
            continue
        if header and header.cells[0] == "" and _missing(header) is None:
            return 0.95
    return 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every subject file."""
    return each_file(request, ".csv", lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    records = read_records(file, request.tree)
    header = next(records, None)
    if header is None:
        raise ImportRefused("nothing_to_read", {"file": file.name})
    missing = _missing(header)
    if missing is not None:
        raise ImportRefused("missing_column", {"file": file.name, "column": missing})
    split = request.split or split_of(file, request.tree)
    for record in records:
        yield _read_record(record, header.cells, file, split)


def split_of(file: InputFile, tree: Tree) -> Split:
    """Return 'dev' for a file in a folder called dev (or val), else 'test'."""
    folders = folder_names(file, tree)
    return "dev" if folders[-1].lower() in {"dev", "val", "validation"} else "test"


def _missing(header: Record) -> str | None:
    return next((column for column in _COLUMNS if column not in header.cells), None)


def _read_record(
    record: Record, header: tuple[str, ...], file: InputFile, split: Split
) -> SourceRow | RowError:
    ref = RowRef(file.name, record.row)
    if len(record.cells) != len(header):
        found = len(record.cells)
        return RowError(ref, "column_count", {"expected": len(header), "found": found})
    cells = dict(zip(header, record.cells, strict=True))
    try:
        return _item(cells, ref, file.stem, split)
    except RowFault as fault:
        return fault.at(ref)


def _item(cells: Mapping[str, str], ref: RowRef, subject: str, split: Split) -> SourceRow:
    index = cells.get("", "").strip()
    if not (index.isascii() and index.isdecimal() and len(index) <= MAX_INDEX_DIGITS):
        raise RowFault("bad_index", {"value": index[:40]})
    if "G" in cells and cells["G"].strip():
        raise RowFault("option_count", {"found": MAX_OPTIONS + 1, "limit": MAX_OPTIONS})
    options = check_options([cells[letter] for letter in LETTERS if letter in cells])
    return SourceRow(
        ref=ref,
        uid=uid_of(subject, int(index), split),
        subject=subject,
        question=required_text(cells, "Question"),
        options=options,
        key=check_key(cells["Answer"], len(options)),
        split=split,
    )
