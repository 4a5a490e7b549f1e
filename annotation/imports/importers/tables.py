"""Reads rows with named columns from JSONL, CSV, XLSX and Parquet, all in one shape."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

from annotation.imports.importers.base import RowError, RowRef
from annotation.imports.importers.errors import (
    TOO_MUCH_MEMORY,
    ImportRefused,
    too_much_memory,
)
from annotation.imports.importers.input_files import InputFile, InputFiles
from annotation.imports.importers.limits import ImportLimits
from annotation.imports.importers.parquet_files import read_parquet
from annotation.imports.importers.table_rows import (
    TableRow,
    check_header,
    first_repeated,
    guard_columns,
    name_cells,
)
from annotation.imports.importers.text_files import (
    Record,
    read_lines,
    read_records,
)
from annotation.imports.importers.workbooks import read_sheet_cells, read_xlsx
from common.csv_cells import restore

TABLE_SUFFIXES: Final = frozenset({".jsonl", ".ndjson", ".csv", ".xlsx", ".parquet"})
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
    if file.suffix == ".csv":
        return within_memory(_read_csv(file, inputs, restore), file)
    return read_table(file, inputs)


def columns_of(file: InputFile, inputs: InputFiles) -> frozenset[str]:
    """Return the columns of the first row that can be read; empty where none can.

    Each format asks this of the same file in turn, so the last answer is kept.
    """
    return _columns_of(file, inputs.limits)


@lru_cache(maxsize=1)
def _columns_of(file: InputFile, limits: ImportLimits) -> frozenset[str]:
    inputs = InputFiles(file.name, "", (file,), limits)
    try:
        rows = islice(read_table(file, inputs), _ROWS_TRIED)
        first = next((row for row in rows if isinstance(row, TableRow)), None)
    except ImportRefused as refusal:
        if refusal.code == TOO_MUCH_MEMORY:  # every other format would only find the same
            raise
        return frozenset()
    return frozenset(first.cells) if first else frozenset()


def require_columns(
    rows: Iterator[TableRow | RowError], required: tuple[str, ...], file: InputFile
) -> Iterator[TableRow | RowError]:
    """Refuse a table without the columns; in JSONL, where rows differ, name the row instead."""
    for row in rows:
        if isinstance(row, TableRow):
            missing = next((column for column in required if column not in row.cells), None)
            if missing is not None:
                data = {"file": file.name, "column": missing}
                if file.suffix not in {".jsonl", ".ndjson"}:
                    raise ImportRefused("missing_column", data)
                yield RowError(row.ref, "missing_column", data)
                continue
        yield row


def header_of(file: InputFile, inputs: InputFiles) -> frozenset[str]:
    """Return the columns that the first row of a CSV file names, or those of another table."""
    if file.suffix != ".csv":
        return columns_of(file, inputs)
    try:
        first = next(read_records(file, inputs), None)
    except ImportRefused:
        return frozenset()
    return frozenset(cell.strip() for cell in first.cells) if first else frozenset()


def read_cells(file: InputFile, inputs: InputFiles) -> Iterator[Record]:
    """Yield the rows of a CSV or XLSX file that has no header, as text by position."""
    read = read_sheet_cells if file.suffix == ".xlsx" else read_records
    yield from within_memory(read(file, inputs), file)


def refuse_unreadable(file: InputFile, inputs: InputFiles) -> None:
    """Raise ImportRefused for what is wrong with a table's first rows, if none can be read."""
    if file.suffix == ".csv":  # that has perhaps no header, so its columns say nothing
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
        value = _decode_json(text)
    except _RepeatedNameError as error:
        return RowError(ref, "repeated_column", {"column": str(error)})
    except json.JSONDecodeError as error:
        return RowError(ref, "bad_json", {"column": error.colno, "problem": error.msg})
    except (RecursionError, ValueError):
        return RowError(ref, "bad_json", {"column": 1, "problem": "too deep or too long"})
    if not isinstance(value, dict):
        return RowError(ref, "not_an_object")
    return TableRow(ref, value)


class _RepeatedNameError(ValueError):
    pass


def _unique_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedNameError(first_repeated(tuple(name for name, _ in pairs)))
    return found


# One decoder for all lines: `json.loads` would build one for each.
_decode_json: Final = json.JSONDecoder(object_pairs_hook=_unique_names).decode


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


_READERS: Final[Mapping[str, Callable[[InputFile, InputFiles], Iterator[TableRow | RowError]]]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": _read_csv,
    ".xlsx": read_xlsx,
    ".parquet": read_parquet,
}
