"""Reads rows with named columns from JSONL, CSV, XLSX and Parquet, all in one shape."""

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, NamedTuple

from annotation.importers.base import RowError, RowRef
from annotation.importers.errors import ImportRefused
from annotation.importers.lines import guard_size, read_lines, read_records
from annotation.importers.trees import FILES_TRIED, InputFile, Tree, guard_archive

Cell = object
TABLE_SUFFIXES: Final = frozenset({".jsonl", ".ndjson", ".csv", ".xlsx", ".parquet"})
_BATCH_ROWS: Final = 1_000
_ROWS_TRIED: Final = 20
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


def read_table(file: InputFile, tree: Tree) -> Iterator[TableRow | RowError]:
    """Yield the rows of a table file; raises ImportRefused where it isn't what its name says."""
    reader = _READERS.get(file.suffix)
    if reader is None:
        raise ImportRefused("unknown_table", {"file": file.name})
    return reader(file, tree)


def columns_of_files(
    tree: Tree, suffixes: AbstractSet[str] = TABLE_SUFFIXES
) -> Iterator[frozenset[str]]:
    """Yield the columns of the first row that can be read in each file that can be read."""
    for file in tree.files[:FILES_TRIED]:
        if file.suffix not in suffixes:
            continue
        try:
            rows = islice(read_table(file, tree), _ROWS_TRIED)
            first = next((row for row in rows if isinstance(row, TableRow)), None)
        except ImportRefused:
            continue
        if first is not None:
            yield frozenset(first.cells)


def refuse_unreadable(file: InputFile, tree: Tree) -> None:
    """Raise ImportRefused for what is wrong with a table's first rows, if none can be read."""
    if file.suffix == ".csv":  # that has perhaps no header, so its columns say nothing
        list(islice(read_records(file, tree), _ROWS_TRIED))
        return
    rows = list(islice(read_table(file, tree), _ROWS_TRIED))
    first = rows[0] if rows else None
    if isinstance(first, RowError) and all(isinstance(row, RowError) for row in rows):
        where: Mapping[str, str | int] = {"file": file.name, "row": first.ref.row}
        raise ImportRefused(first.code, {**where, **first.data})


def read_jsonl(file: InputFile, tree: Tree) -> Iterator[TableRow | RowError]:
    """Yield one row a line; a line that is no JSON object is a RowError."""
    for line in read_lines(file, tree):
        ref = RowRef(file.name, line.number)
        if line.text is None:
            yield RowError(ref, "row_too_long", {"limit": tree.limits.row_bytes})
        elif line.text.strip():
            yield _parse_object(line.text, ref)


def _parse_object(text: str, ref: RowRef) -> TableRow | RowError:
    try:
        value = json.loads(text, object_pairs_hook=_unique_names)
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


def _read_csv(file: InputFile, tree: Tree) -> Iterator[TableRow | RowError]:
    header: tuple[str, ...] | None = None
    for record in read_records(file, tree):
        if header is None:
            header = _check_header(record.cells, file)
            continue
        yield _name_cells(header, record.cells, RowRef(file.name, record.row))


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


def _read_xlsx(file: InputFile, tree: Tree) -> Iterator[TableRow | RowError]:
    guard_size(file, tree)
    _guard_workbook(file, tree)
    header: tuple[str, ...] | None = None
    for number, values in enumerate(_sheet_values(file), start=1):
        if all(value is None for value in values):
            continue
        if header is None:
            header = _check_header(_header_cells(values), file)
            continue
        yield _sheet_row(header, values, RowRef(file.name, number), tree.limits.row_bytes)


def _sheet_values(file: InputFile) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of the first sheet; raises ImportRefused wherever the workbook is damaged."""
    from openpyxl import load_workbook  # heavy, and only few imports need it
    from openpyxl.utils.exceptions import InvalidFileException

    with file.open() as handle:
        try:
            book = load_workbook(handle, read_only=True, data_only=True)
            yield from book.worksheets[0].iter_rows(values_only=True)
        except (InvalidFileException, *_DAMAGE) as damage:
            raise ImportRefused("not_xlsx", {"file": file.name}) from damage


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


def _guard_workbook(file: InputFile, tree: Tree) -> None:
    try:
        with file.open() as handle, zipfile.ZipFile(handle) as archive:
            guard_archive(archive.infolist(), file.name, file.size, tree.limits)
            if "[Content_Types].xml" not in archive.namelist():
                raise ImportRefused("not_xlsx", {"file": file.name})
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise ImportRefused("not_xlsx", {"file": file.name}) from error


def _read_parquet(file: InputFile, tree: Tree) -> Iterator[TableRow | RowError]:
    import pyarrow as pa  # heavy, and only few imports need it
    import pyarrow.parquet as pq

    guard_size(file, tree)
    with file.open() as handle:
        try:
            table = pq.ParquetFile(handle)
            groups = range(table.metadata.num_row_groups)
            size = sum(table.metadata.row_group(group).total_byte_size for group in groups)
            if size > tree.limits.total_bytes:
                raise ImportRefused(
                    "archive_bomb", {"file": file.name, "limit": tree.limits.archive_ratio}
                )
            number = 0
            for batch in table.iter_batches(batch_size=_BATCH_ROWS):
                for cells in batch.to_pylist():
                    number += 1
                    yield TableRow(RowRef(file.name, number), cells)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ImportRefused("not_parquet", {"file": file.name}) from error


_READERS: Final[Mapping[str, Callable[[InputFile, Tree], Iterator[TableRow | RowError]]]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": _read_csv,
    ".xlsx": _read_xlsx,
    ".parquet": _read_parquet,
}
