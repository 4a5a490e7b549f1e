"""Reads rows with named columns from JSONL, CSV, XLSX and Parquet, all in one shape."""

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from annotation.imports.importers.base import RowError, RowRef
from annotation.imports.importers.errors import ImportRefused
from annotation.imports.importers.input_files import InputFile, InputFiles, guard_archive
from annotation.imports.importers.text_files import (
    Record,
    guard_size,
    read_lines,
    read_records,
    too_large,
)
from common.csv_cells import restore

Cell = object
TABLE_SUFFIXES: Final = frozenset({".jsonl", ".ndjson", ".csv", ".xlsx", ".parquet"})
_BATCH_ROWS: Final = 1_000
_ROWS_TRIED: Final = 20
_SHEET_ROWS: Final = 1_048_576
_BLANK_ROWS: Final = 10_000
_SHARED_STRINGS: Final = "xl/sharedStrings.xml"
# Whatever openpyxl lets through from a damaged workbook: its parts are parsed where they are used.
_DAMAGE: Final = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


class TableRow(NamedTuple):
    """One row: where it is and its cells by column; cells are text, numbers, lists or None."""

    ref: RowRef
    cells: Mapping[str, Cell]


def read_table(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the rows of a table file; raises ImportRefused where it isn't what its name says."""
    reader = _READERS.get(file.suffix)
    if reader is None:
        raise ImportRefused("unknown_table", {"file": file.name})
    return reader(file, inputs)


def read_own_table(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the rows of a table in our own columns, as `read_table` does.

    CSV files that we write have an apostrophe before what a spreadsheet would take for a formula;
    here it is taken away. In a file of others it belongs to the text.
    """
    if file.suffix == ".csv":
        return _read_csv(file, inputs, restore)
    return read_table(file, inputs)


def columns_of(file: InputFile, inputs: InputFiles) -> frozenset[str]:
    """Return the columns of the first row that can be read; empty where none can."""
    try:
        rows = islice(read_table(file, inputs), _ROWS_TRIED)
        first = next((row for row in rows if isinstance(row, TableRow)), None)
    except ImportRefused:
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
    if file.suffix != ".xlsx":
        yield from read_records(file, inputs)
        return
    guard_size(file, inputs)
    _guard_workbook(file, inputs)
    for number, values in enumerate(_sheet_values(file), start=1):
        if any(value is not None for value in values):
            yield Record(number, _header_cells(values))


def refuse_unreadable(file: InputFile, inputs: InputFiles) -> None:
    """Raise ImportRefused for what is wrong with a table's first rows, if none can be read."""
    if file.suffix == ".csv":  # that has perhaps no header, so its columns say nothing
        list(islice(read_records(file, inputs), _ROWS_TRIED))
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
        names = [name for name, _ in pairs]
        raise _RepeatedNameError(next(name for name in names if names.count(name) > 1))
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
            header = _check_header(cells, file)
            continue
        yield _name_cells(header, cells, RowRef(file.name, record.row))


def _check_header(cells: tuple[str, ...], file: InputFile) -> tuple[str, ...]:
    names = tuple(cell.strip() for cell in cells)
    repeated = next((name for name in names if name and names.count(name) > 1), None)
    if repeated is not None:
        raise ImportRefused("repeated_column", {"file": file.name, "column": repeated})
    return names


def _name_cells(
    header: tuple[str, ...], cells: tuple[Cell, ...], ref: RowRef
) -> TableRow | RowError:
    if len(cells) != len(header):
        return RowError(ref, "column_count", {"expected": len(header), "found": len(cells)})
    return TableRow(ref, dict(zip(header, cells, strict=True)))


def _read_xlsx(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    guard_size(file, inputs)
    _guard_workbook(file, inputs)
    header: tuple[str, ...] | None = None
    for number, values in enumerate(_sheet_values(file), start=1):
        if all(value is None for value in values):
            continue
        if header is None:
            header = _check_header(_header_cells(values), file)
            continue
        yield _sheet_row(header, values, RowRef(file.name, number), inputs.limits.row_bytes)


def _sheet_values(file: InputFile) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of the first sheet; raises ImportRefused wherever the workbook is damaged."""
    from openpyxl import load_workbook  # heavy, and only few imports need it
    from openpyxl.utils.exceptions import InvalidFileException

    with file.open() as handle:
        try:
            book = load_workbook(handle, read_only=True, data_only=True)
            yield from _bounded(book.worksheets[0].iter_rows(values_only=True), file)
        except (InvalidFileException, *_DAMAGE) as damage:
            raise ImportRefused("not_xlsx", {"file": file.name}) from damage


def _bounded(rows: Iterator[tuple[Cell, ...]], file: InputFile) -> Iterator[tuple[Cell, ...]]:
    """Refuse a sheet of more rows than spreadsheets have, or a gap that a forged row number makes.

    The reader yields every row of a gap as a blank one, so a single number can keep it busy for
    ever.
    """
    blank = 0
    for number, values in enumerate(rows, start=1):
        blank = blank + 1 if all(value is None for value in values) else 0
        if blank > _BLANK_ROWS or number > _SHEET_ROWS:
            limit = _BLANK_ROWS if blank > _BLANK_ROWS else _SHEET_ROWS
            raise ImportRefused("sheet_too_large", {"file": file.name, "limit": limit})
        yield values


def _header_cells(values: tuple[Cell, ...]) -> tuple[str, ...]:
    names = ["" if value is None else str(value) for value in values]
    while names and not names[-1]:
        names.pop()
    return tuple(names)


def _sheet_row(
    header: tuple[str, ...], values: tuple[Cell, ...], ref: RowRef, limit: int
) -> TableRow | RowError:
    if any(value is not None for value in values[len(header) :]):
        return RowError(ref, "column_count", {"expected": len(header), "found": len(values)})
    if sum(len(value) for value in values if isinstance(value, str)) > limit:
        return RowError(ref, "row_too_long", {"limit": limit})
    padded = (*values, *(None,) * len(header))[: len(header)]
    return _name_cells(header, padded, ref)


def _guard_workbook(file: InputFile, inputs: InputFiles) -> None:
    try:
        with file.open() as handle, zipfile.ZipFile(handle) as archive:
            guard_archive(archive.infolist(), file.name, file.size, inputs.limits)
            if "[Content_Types].xml" not in archive.namelist():
                raise ImportRefused("not_xlsx", {"file": file.name})
            if _SHARED_STRINGS in archive.namelist():  # is read whole, before the first row
                size = archive.getinfo(_SHARED_STRINGS).file_size
                if size > inputs.limits.json_bytes:
                    raise too_large(file, inputs.limits.json_bytes)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise ImportRefused("not_xlsx", {"file": file.name}) from error


def _read_parquet(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    import pyarrow as pa  # heavy, and only few imports need it
    import pyarrow.parquet as pq

    guard_size(file, inputs)
    with file.open() as handle:
        try:
            table = pq.ParquetFile(handle)
            groups = range(table.metadata.num_row_groups)
            size = sum(table.metadata.row_group(group).total_byte_size for group in groups)
            if size > inputs.limits.total_bytes:
                raise ImportRefused(
                    "archive_bomb", {"file": file.name, "limit": inputs.limits.archive_ratio}
                )
            number = 0
            for batch in table.iter_batches(batch_size=_BATCH_ROWS):
                for cells in batch.to_pylist():
                    number += 1
                    yield TableRow(RowRef(file.name, number), cells)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ImportRefused("not_parquet", {"file": file.name}) from error
        except (ValueError, OverflowError) as error:  # Python's dates are narrower than Parquet's
            raise ImportRefused("date_out_of_range", {"file": file.name}) from error


_READERS: Final[Mapping[str, Callable[[InputFile, InputFiles], Iterator[TableRow | RowError]]]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": _read_csv,
    ".xlsx": _read_xlsx,
    ".parquet": _read_parquet,
}
