"""Reads CMMLU: folders `test` and `dev` of `<subject>.csv` with a header and an index column.

Uid `<subject>/<index>`; rows of the dev folder are dev items with uid `<subject>/dev/<index>`,
so that row 0 of both is two items. The same columns are read from XLSX and Parquet.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import (
    MAX_INDEX_DIGITS,
    Column,
    ImportRequest,
    Layout,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
)
from annotation.importers.cells import (
    RowFault,
    check_key,
    check_options,
    required_text,
    text_of,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.reading import each_file, folder_names
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import header_of, read_table, require_columns, with_names
from languages.letters import BEYOND_LETTERS, LETTERS, MAX_OPTIONS

name: Final = "cmmlu"
suffixes: Final = frozenset({".csv", ".xlsx", ".parquet"})
layout: Final = Layout(
    summary=gettext_noop("The published files of CMMLU, and tables in the same columns."),
    files=gettext_noop(
        "one <subject>.csv, .xlsx or .parquet per subject, in the folders test and dev"
    ),
    columns=(
        Column(gettext_noop("first column, without a name"), gettext_noop("the index of the row")),
        Column("Question", gettext_noop("the question")),
        Column("A, B", gettext_noop("the first two options")),
        Column("C … F", gettext_noop("further options"), is_required=False),
        Column("Answer", gettext_noop("the letter of the correct option")),
    ),
)
_COLUMNS: Final = ("Question", "A", "B", "Answer")
_NAMES: Final = ("Question", "Answer", *LETTERS)
_INDEX: Final = ("", "Unnamed: 0", "__index_level_0__")
"""Names that pandas gives an index without a name in CSV and XLSX, CSV read again, and Parquet."""


def uid_of(subject: str, index: int, split: Split) -> str:
    """Return the uid of a CMMLU item; test and dev items never share one."""
    return f"{subject}/{index}" if split == "test" else f"{subject}/dev/{index}"


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the header."""
    columns = header_of(file, inputs, _NAMES)
    return 0.95 if columns.issuperset(_COLUMNS) and not columns.isdisjoint(_INDEX) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every subject file."""
    return each_file(request, suffixes, lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    split = request.split or split_of(file, request.inputs)
    rows = with_names(read_table(file, request.inputs), _NAMES)
    for row in require_columns(rows, _COLUMNS, file):
        yield row if isinstance(row, RowError) else _read_row(row, file.stem, split)


def split_of(file: InputFile, inputs: InputFiles) -> Split:
    """Return 'dev' for a file in a folder called dev (or val), else 'test'."""
    folders = folder_names(file, inputs)
    return "dev" if folders[-1].lower() in {"dev", "val", "validation"} else "test"


def _read_row(row: TableRow, subject: str, split: Split) -> SourceRow | RowError:
    try:
        return _item(row.cells, row.ref, subject, split)
    except RowFault as fault:
        return fault.at(row.ref)


def _item(cells: Mapping[str, object], ref: RowRef, subject: str, split: Split) -> SourceRow:
    if text_of(cells, BEYOND_LETTERS).strip():
        raise RowFault("option_count", {"found": MAX_OPTIONS + 1, "limit": MAX_OPTIONS})
    index = _index(cells)
    options = check_options([text_of(cells, letter) for letter in LETTERS if letter in cells])
    return SourceRow(
        ref=ref,
        uid=uid_of(subject, index, split),
        subject=subject,
        question=required_text(cells, "Question"),
        options=options,
        key=check_key(text_of(cells, "Answer"), len(options)),
        split=split,
    )


def _index(cells: Mapping[str, object]) -> int:
    column = next((column for column in _INDEX if column in cells), "")
    index = text_of(cells, column).strip()
    if not (index.isascii() and index.isdecimal() and len(index) <= MAX_INDEX_DIGITS):
        raise RowFault("bad_index", {"value": index[:40]})
    return int(index)
