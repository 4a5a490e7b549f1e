"""Reads rows with named columns from JSONL, JSON, CSV, XLSX and Parquet, all in one shape."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

from annotation.importers.base import RowError, RowRef
from annotation.importers.errors import TOO_MUCH_MEMORY, ImportRefused, too_much_memory
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.json_files import RepeatedNameError, decode_json, read_json
from annotation.importers.limits import ImportLimits
from annotation.importers.table_rows import (
    Cell,
    TableRow,
    check_header,
    guard_columns,
    name_cells,
)
from annotation.importers.text_files import Record, read_lines, read_records
from annotation.importers.workbooks import read_sheet_cells, read_xlsx
from common.csv_cells import restore
from common.names import fold_name

LINE_SUFFIXES: Final = frozenset({".jsonl", ".ndjson"})
TABLE_SUFFIXES: Final = LINE_SUFFIXES | {".csv", ".tsv", ".xlsx", ".parquet"}
ANY_SUFFIXES: Final = TABLE_SUFFIXES | {".json"}
_ROWS_TRIED: Final = 20
_Row = TypeVar("_Row")


def read_table(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the rows of a table file; raises ImportRefused where it isn't what its name says."""
    reader = _READERS.get(file.suffix)
    if reader is None:
        raise ImportRefused("unknown_table", {"file": file.name})
    return within_memory(reader(file, inputs), file)


def within_memory(rows: Iterator[_Row], file: InputFile) -> Iterator[_Row]:
    """Yield the rows; raises ImportRefused where there is not memory enough for them."""
    try:
        yield from rows
    except MemoryError as error:
        raise too_much_memory(file.name) from error


def read_own_table(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the rows of a table in our own columns, as `read_table` does.

    CSV files that we write have an apostrophe before what a spreadsheet would take for a formula;
    here it is taken away. In a file of others it belongs to the text.
    """
    if file.suffix in {".csv", ".tsv"}:
        return within_memory(_read_csv(file, inputs, restore), file)
    return read_table(file, inputs)


def with_names(
    rows: Iterator[TableRow | RowError], names: Iterable[str]
) -> Iterator[TableRow | RowError]:
    """Write the columns of each row as `names` has them, whatever their case, spaces and hyphens.

    A row in which two columns would then have one name is a RowError.
    """
    known = {_plain_name(name): name for name in names}
    before: tuple[str, ...] = ()
    changes: dict[str, str] = {}
    for row in rows:
        if isinstance(row, RowError):
            yield row
            continue
        columns = tuple(row.cells)
        if columns != before:
            before, changes = columns, _changed_names(columns, known)
        if not changes:
            yield row
            continue
        cells = {changes.get(name, name): value for name, value in row.cells.items()}
        if len(cells) < len(row.cells):
            twice = next(name for name in cells if [*changes.values(), *row.cells].count(name) > 1)
            yield RowError(row.ref, "repeated_column", {"column": twice})
        else:
            yield TableRow(row.ref, cells)


def _changed_names(columns: tuple[str, ...], known: Mapping[str, str]) -> dict[str, str]:
    found = {name: known.get(_plain_name(name), name) for name in columns}
    return {name: wanted for name, wanted in found.items() if name != wanted}


@lru_cache(maxsize=4096)
def _plain_name(name: str) -> str:
    return fold_name(name).replace(" ", "").replace("-", "")


def columns_of(file: InputFile, inputs: InputFiles, names: Iterable[str] = ()) -> frozenset[str]:
    """Return the columns of the first row that can be read; empty where none can."""
    return frozenset(first_row(file, inputs, names))


def first_row(file: InputFile, inputs: InputFiles, names: Iterable[str] = ()) -> Mapping[str, Cell]:
    """Return the first row that can be read, its columns as `names` has them; empty if none can.

    Each format asks this of the same file in turn, so the last row is kept.
    """
    first = _first_row(file, inputs.limits)
    named = next(with_names(iter((first,)), names)) if first else None
    return named.cells if isinstance(named, TableRow) else {}


@lru_cache(maxsize=1)
def _first_row(file: InputFile, limits: ImportLimits) -> TableRow | None:
    inputs = InputFiles(file.name, "", (file,), limits)
    try:
        rows = islice(read_table(file, inputs), _ROWS_TRIED)
        return next((row for row in rows if isinstance(row, TableRow)), None)
    except ImportRefused as refusal:
        if refusal.code == TOO_MUCH_MEMORY:  # every other format would only find the same
            raise
        return None


def require_columns(
    rows: Iterator[TableRow | RowError], required: tuple[str, ...], file: InputFile
) -> Iterator[TableRow | RowError]:
    """Refuse a table without the columns; in JSONL, where rows differ, name the row instead."""
    for row in rows:
        if isinstance(row, TableRow):
            missing = next((column for column in required if column not in row.cells), None)
            if missing is not None:
                data = {"file": file.name, "column": missing}
                if file.suffix not in LINE_SUFFIXES | {".json"}:
                    raise ImportRefused("missing_column", data)
                yield RowError(row.ref, "missing_column", data)
                continue
        yield row


def header_of(file: InputFile, inputs: InputFiles, names: Iterable[str]) -> frozenset[str]:
    """Return the columns that the first row of a CSV file names, or those of another table.

    They are written as `names` has them.
    """
    if file.suffix not in {".csv", ".tsv"}:
        return columns_of(file, inputs, names)
    try:
        first = next(read_records(file, inputs), None)
    except ImportRefused:
        return frozenset()
    columns = tuple(cell.strip() for cell in first.cells) if first else ()
    changes = _changed_names(columns, {_plain_name(name): name for name in names})
    return frozenset(changes.get(name, name) for name in columns)


def read_cells(file: InputFile, inputs: InputFiles) -> Iterator[Record]:
    """Yield the rows of a CSV or XLSX file that has no header, as text by position."""
    read = read_sheet_cells if file.suffix == ".xlsx" else read_records
    yield from within_memory(read(file, inputs), file)


def refuse_unreadable(file: InputFile, inputs: InputFiles) -> None:
    """Raise ImportRefused for what is wrong with a table's first rows, if none can be read."""
    if file.suffix in {".csv", ".tsv"}:  # that has perhaps no header, so its columns say nothing
        for record in islice(read_records(file, inputs), _ROWS_TRIED):
            guard_columns(len(record.cells), file, inputs)
        return
    rows = list(islice(read_table(file, inputs), _ROWS_TRIED))
    first = rows[0] if rows else None
    if isinstance(first, RowError) and all(isinstance(row, RowError) for row in rows):
        where: Mapping[str, str | int] = {"file": file.name, "row": first.ref.row}
        raise ImportRefused(first.code, {**where, **first.data})


def read_jsonl(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield one row a line; a line that is no JSON object is a RowError."""
    for line in read_lines(file, inputs):
        ref = RowRef(file.name, line.number)
        if line.text is None:
            yield RowError(ref, "row_too_long", {"limit": inputs.limits.row_bytes})
        elif line.text.strip():
            yield _parse_object(line.text, ref)


def _parse_object(text: str, ref: RowRef) -> TableRow | RowError:
    try:
        value = decode_json(text)
    except RepeatedNameError as error:
        return RowError(ref, "repeated_column", {"column": str(error)})
    except json.JSONDecodeError as error:
        return RowError(ref, "bad_json", {"column": error.colno, "problem": error.msg})
    except (RecursionError, ValueError):
        return RowError(ref, "bad_json", {"column": 1, "problem": "too deep or too long"})
    if not isinstance(value, dict):
        return RowError(ref, "not_an_object")
    return TableRow(ref, value)


def _read_csv(
    file: InputFile, inputs: InputFiles, text_of: Callable[[str], str] = str
) -> Iterator[TableRow | RowError]:
    header: tuple[str, ...] | None = None
    for record in read_records(file, inputs):
        cells = tuple(map(text_of, record.cells))
        if header is None:
            header = check_header(cells, file, inputs)
            continue
        yield name_cells(header, cells, RowRef(file.name, record.row))


def _read_parquet(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    from annotation.importers.parquet_files import read_parquet  # loads NumPy

    return read_parquet(file, inputs)


_READERS: Final[Mapping[str, Callable[[InputFile, InputFiles], Iterator[TableRow | RowError]]]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json": read_json,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".xlsx": read_xlsx,
    ".parquet": _read_parquet,
}
