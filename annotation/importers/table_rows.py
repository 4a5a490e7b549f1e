"""Rows with named columns, as all kinds of table files give them."""

from collections.abc import Mapping
from typing import NamedTuple

from annotation.importers.base import RowError, RowRef
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles

Cell = object


class TableRow(NamedTuple):
    """One row: where it is and its cells by column; cells are text, numbers, lists or None."""

    ref: RowRef
    cells: Mapping[str, Cell]


def check_header(cells: tuple[str, ...], file: InputFile, inputs: InputFiles) -> tuple[str, ...]:
    """Return the names of the columns; raises ImportRefused where two are the same."""
    guard_columns(len(cells), file, inputs)
    names = tuple(cell.strip() for cell in cells)
    repeated = first_repeated(tuple(filter(None, names)))
    if repeated is not None:
        raise ImportRefused("repeated_column", {"file": file.name, "column": repeated})
    return names


def guard_columns(count: int, file: InputFile, inputs: InputFiles) -> None:
    """Raise ImportRefused where a table has more columns than a spreadsheet could."""
    limit = inputs.limits.columns
    if count > limit:
        raise ImportRefused("too_many_columns", {"file": file.name, "limit": limit})


def first_repeated(names: tuple[str, ...]) -> str | None:
    """Return the first name that was there before; None where all differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def name_cells(
    header: tuple[str, ...], cells: tuple[Cell, ...], ref: RowRef
) -> TableRow | RowError:
    """Give each cell the name of its column; a row with more or fewer cells is a RowError."""
    if len(cells) != len(header):
        return RowError(ref, "column_count", {"expected": len(header), "found": len(cells)})
    return TableRow(ref, dict(zip(header, cells, strict=True)))


def decodes_too_large(file: InputFile, inputs: InputFiles) -> ImportRefused:
    """Return the refusal of a file that holds far more than its size lets expect."""
    limit = inputs.limits.decoded_bytes(file.size)
    return ImportRefused("decodes_too_large", {"file": file.name, "limit": limit})
