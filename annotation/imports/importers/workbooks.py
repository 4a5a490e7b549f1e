"""Reads the rows of XLSX workbooks.

The library for workbooks believes what it reads: it fills any gap with blank rows and any width
with blank cells, and it keeps the table of shared texts whole. So the parts of a workbook are
measured before they are parsed, and its rows while they come.
"""

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Final

from annotation.imports.importers.archives import open_archive
from annotation.imports.importers.base import RowError, RowRef
from annotation.imports.importers.errors import ImportRefused
from annotation.imports.importers.input_files import InputFile, InputFiles, open_seekable
from annotation.imports.importers.table_rows import (
    Cell,
    TableRow,
    check_header,
    decodes_too_large,
    guard_columns,
    name_cells,
)
from annotation.imports.importers.text_files import Record, guard_size, too_large

_SHEET_ROWS: Final = 1_048_576
_BLANK_ROWS: Final = 10_000
_SHEETS: Final = 1_000
_SHARED_STRINGS: Final = "xl/sharedStrings.xml"
_BLOCK: Final = 1 << 20
_ROWS_IN_A_TEXT: Final = 8
_TAGS_OF_A_CELL: Final = 100  # ten, and after the rows come lists of merged cells and links
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


def read_xlsx(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the rows of the first sheet; raises ImportRefused."""
    header: tuple[str, ...] | None = None
    for number, values in _sheet_rows(file, inputs):
        if header is None:
            header = check_header(_header_cells(values), file, inputs)
            continue
        yield _sheet_row(header, values, RowRef(file.name, number), inputs.limits.row_bytes)


def read_sheet_cells(file: InputFile, inputs: InputFiles) -> Iterator[Record]:
    """Yield the rows of the first sheet as text by position; raises ImportRefused."""
    for number, values in _sheet_rows(file, inputs):
        yield Record(number, _header_cells(values))


def _sheet_rows(file: InputFile, inputs: InputFiles) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """Yield the number and the values of each row that isn't blank."""
    guard_size(file, inputs)
    held, most = 0, inputs.limits.decoded_bytes(file.size)
    for number, values in enumerate(_sheet_values(file, inputs), start=1):
        if all(value is None for value in values):
            continue
        held += _text_size(values)
        if held > most:
            raise decodes_too_large(file, inputs)
        yield number, values


def _text_size(values: tuple[Cell, ...]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _sheet_values(file: InputFile, inputs: InputFiles) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of the first sheet; raises ImportRefused wherever the workbook is damaged."""
    from openpyxl import load_workbook  # heavy, and only few imports need it
    from openpyxl.utils.exceptions import InvalidFileException

    with open_seekable(file) as handle:
        try:
            _guard_workbook(handle, file, inputs)
            book = load_workbook(handle, read_only=True, data_only=True)
            yield from _bounded(book.worksheets[0].iter_rows(values_only=True), file, inputs)
        except (InvalidFileException, *_DAMAGE) as damage:
            raise ImportRefused("not_xlsx", {"file": file.name}) from damage


def _bounded(
    rows: Iterator[tuple[Cell, ...]], file: InputFile, inputs: InputFiles
) -> Iterator[tuple[Cell, ...]]:
    """Refuse a sheet that is too wide, has too many rows, or a gap that a forged number makes.

    The reader yields every row of a gap as a blank one, so a single number can keep it busy for
    ever.
    """
    blank = 0
    most = min(_SHEET_ROWS, inputs.limits.rows)
    for number, values in enumerate(rows, start=1):
        guard_columns(len(values), file, inputs)
        blank = blank + 1 if all(value is None for value in values) else 0
        if blank > _BLANK_ROWS or number > most:
            limit = _BLANK_ROWS if blank > _BLANK_ROWS else most
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
    if _text_size(values) > limit:
        return RowError(ref, "row_too_long", {"limit": limit})
    padded = (*values, *(None,) * len(header))[: len(header)]
    return name_cells(header, padded, ref)


def _guard_workbook(handle: IO[bytes], file: InputFile, inputs: InputFiles) -> None:
    """Refuse what is no workbook, and one whose parts are too large, before any part is parsed."""
    try:
        archive = open_archive(handle, file.name, file.size, inputs.limits)  # type: ignore[arg-type]
    except ImportRefused as refusal:
        code = "not_xlsx" if refusal.code == "not_an_archive" else refusal.code
        raise ImportRefused(code, refusal.data) from refusal
    names = frozenset(archive.namelist())
    if "[Content_Types].xml" not in names:
        raise ImportRefused("not_xlsx", {"file": file.name})
    if _SHARED_STRINGS in names:  # is read whole, before the first row
        size = archive.getinfo(_SHARED_STRINGS).file_size
        if size > inputs.limits.json_bytes:
            raise too_large(file, inputs.limits.json_bytes)
    for member in archive.infolist():
        if member.filename.lower().endswith((".xml", ".rels")):
            with archive.open(member) as part:
                _guard_part(part, file, inputs)
        if "worksheets/" in member.filename:
            with archive.open(member) as part:
                _guard_width(part, file, inputs)


def _guard_part(part: IO[bytes], file: InputFile, inputs: InputFiles) -> None:
    """Refuse a part with a very long text, very many shared texts or very many sheets.

    It is looked at as bytes: counting tags takes a hundredth of the time of parsing them.
    """
    longest = max(inputs.limits.row_bytes * _ROWS_IN_A_TEXT, _BLOCK)
    run = strings = sheets = 0
    before = b""
    while block := part.read(_BLOCK):
        run += block.find(b"<") if b"<" in block else len(block)
        if run > longest:
            raise ImportRefused("text_too_long", {"file": file.name, "limit": longest})
        if b"<" in block:
            run = len(block) - block.rfind(b"<")
        text = before + block
        strings += text.count(b"<si") + text.count(b":si")
        sheets += text.count(b"<sheet ") + text.count(b":sheet ")
        if strings > inputs.limits.rows:
            raise ImportRefused("too_many_texts", {"file": file.name, "limit": inputs.limits.rows})
        if sheets > _SHEETS:
            raise ImportRefused("too_many_sheets", {"file": file.name, "limit": _SHEETS})
        before = block[-6:]


def _guard_width(part: IO[bytes], file: InputFile, inputs: InputFiles) -> None:
    """Refuse a sheet with very much between one row and the next: a row is parsed as a whole."""
    tags, most = 0, inputs.limits.columns * _TAGS_OF_A_CELL
    while block := part.read(_BLOCK):
        at = block.rfind(b"<row")
        tags = block.count(b"<", at) if at >= 0 else tags + block.count(b"<")
        if tags > most:
            limit = inputs.limits.columns
            raise ImportRefused("too_many_columns", {"file": file.name, "limit": limit})
