"""Reads the rows of XLSX workbooks.

The library for workbooks believes what it reads, and it keeps the table of shared texts whole. So
the parts of a workbook are measured before they are parsed, and its rows while they come.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final

from annotation.importers.archives import open_archive
from annotation.importers.base import RowError, RowRef
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles, open_seekable
from annotation.importers.sheets import Shown, Unkept, sheet_rows
from annotation.importers.table_rows import (
    TableRow,
    check_header,
    decodes_too_large,
    guard_columns,
    name_cells,
)
from annotation.importers.text_files import Record, guard_size, too_large

_SHEET_ROWS: Final = 1_048_576
_BLANK_ROWS: Final = 10_000
_SHEETS: Final = 1_000
_SHARED_STRINGS: Final = "xl/sharedStrings.xml"
_BLOCK: Final = 1 << 20
_TAG: Final = re.compile(rb"<(?:[a-z]{1,9}:)?(?:row|col)\s[^<>]{0,2000}>")
_ATTRIBUTE: Final = re.compile(rb"([a-z]+)=[\"']([^\"'<>]*)[\"']")
_LONGEST_TAG: Final = 2_000
_LAST_COLUMN: Final = 16_384
_NAMED: Final = 100
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
    """Yield the rows of one sheet as text, as a person sees it; raises ImportRefused.

    A row with a cell that cannot be kept exactly is a RowError with the cell's address.
    """
    header: tuple[str, ...] | None = None
    for number, values in _sheet_rows(file, inputs):
        if header is None:
            header = check_header(_plain_cells(values, file), file, inputs)
            continue
        yield _sheet_row(header, values, RowRef(file.name, number), inputs.limits.row_bytes)


def read_sheet_cells(file: InputFile, inputs: InputFiles) -> Iterator[Record]:
    """Yield the rows of one sheet as text by position; raises ImportRefused."""
    for number, values in _sheet_rows(file, inputs):
        yield Record(number, _plain_cells(values, file))


def sheets_of(file: InputFile, inputs: InputFiles) -> "SheetList":
    """Return the sheet that is read, the others, and what is hidden in the first.

    Raises ImportRefused for a damaged workbook.
    """
    with _open_book(file, inputs) as book:
        sheet = _chosen(book, file, inputs)
        path = sheet._worksheet_path  # noqa: SLF001
        with book._archive.open(path) as part:  # noqa: SLF001
            rows, columns = _hidden(part)
        others = tuple(name for name in book.sheetnames if name != sheet.title)
        return SheetList(sheet.title, others, rows, columns)


@dataclass(frozen=True, slots=True)
class SheetList:
    """The sheets of a workbook: the one that is read and the others, and what the first hides."""

    used: str
    others: tuple[str, ...]
    hidden_rows: tuple[str, ...]
    hidden_columns: tuple[str, ...]


def _hidden(part: IO[bytes]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of hidden rows and columns, at most _NAMED of each; a look at bytes."""
    from openpyxl.utils import get_column_letter

    rows: dict[str, None] = {}
    columns: dict[str, None] = {}
    before = b""
    while block := part.read(_BLOCK):
        text = before + block
        for tag in _TAG.finditer(text):
            if b"hidden=" not in tag[0]:
                continue
            said = dict(_ATTRIBUTE.findall(tag[0]))
            if said.get(b"hidden") not in {b"1", b"true"}:
                continue
            if b"r" in said and len(rows) < _NAMED:
                rows[said[b"r"].decode(errors="replace")] = None
            first = said.get(b"min", b"")
            if first.isdigit() and 0 < int(first[:6]) <= _LAST_COLUMN and len(columns) < _NAMED:
                columns[get_column_letter(int(first))] = None
        before = text[text.rfind(b"<") :] if b"<" in text else b""
        before = before[-_LONGEST_TAG:]
    return tuple(rows), tuple(columns)


@contextmanager
def _open_book(file: InputFile, inputs: InputFiles) -> Iterator[Any]:
    """Open a workbook for as long as the block takes; raises ImportRefused wherever it is damaged."""
    from openpyxl import load_workbook  # heavy, and only few imports need it
    from openpyxl.utils.exceptions import InvalidFileException

    guard_size(file, inputs)
    with open_seekable(file) as handle:
        try:
            _guard_workbook(handle, file, inputs)
            yield load_workbook(handle, read_only=True, data_only=True, rich_text=True)
        except (InvalidFileException, *_DAMAGE) as damage:
            raise ImportRefused("not_xlsx", {"file": file.name}) from damage


def _chosen(book: Any, file: InputFile, inputs: InputFiles) -> Any:
    """Return the sheet that the import names, or the first that a person sees."""
    if inputs.sheet:
        sheet = next((each for each in book.worksheets if each.title == inputs.sheet), None)
        if sheet is None:
            data = {"file": file.name, "sheet": inputs.sheet, "known": ", ".join(book.sheetnames)}
            raise ImportRefused("no_such_sheet", data)
        return sheet
    seen = [each for each in book.worksheets if each.sheet_state == "visible"]
    return (seen or book.worksheets)[0]


def _sheet_rows(file: InputFile, inputs: InputFiles) -> Iterator[tuple[int, tuple[Shown, ...]]]:
    """Yield the number and the cells of each row that isn't blank."""
    held, most = 0, inputs.limits.decoded_bytes(file.size)
    with _open_book(file, inputs) as book:
        for number, values in _bounded(book, file, inputs):
            held += _text_size(values)
            if held > most:
                raise decodes_too_large(file, inputs)
            yield number, values


def _text_size(values: tuple[Shown, ...]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _bounded(
    book: Any, file: InputFile, inputs: InputFiles
) -> Iterator[tuple[int, tuple[Shown, ...]]]:
    """Yield the rows that hold something; refuse a sheet that is too wide or has too many rows."""
    last, most = 0, min(_SHEET_ROWS, inputs.limits.rows)
    try:
        for number, values in sheet_rows(book, _chosen(book, file, inputs), inputs.limits.columns):
            is_blank = all(value is None for value in values)
            if number > most or (not is_blank and last and number - last > _BLANK_ROWS):
                limit = most if number > most else _BLANK_ROWS
                raise ImportRefused("sheet_too_large", {"file": file.name, "limit": limit})
            if not is_blank:
                last = number
                yield number, values
    except OverflowError:
        guard_columns(inputs.limits.columns + 1, file, inputs)
        raise


def _plain_cells(values: tuple[Shown, ...], file: InputFile) -> tuple[str, ...]:
    """Return the texts of a row without its empty end; raises ImportRefused for one that is unkept."""
    unkept = _unkept(values)
    if unkept:
        data = {"file": file.name, "cell": unkept.address, "reason": unkept.reason}
        raise ImportRefused(f"cell_{unkept.reason}", data)
    names = [value if isinstance(value, str) else "" for value in values]
    while names and not names[-1]:
        names.pop()
    return tuple(names)


def _unkept(values: tuple[Shown, ...]) -> Unkept | None:
    return next((value for value in values if isinstance(value, Unkept)), None)


def _sheet_row(
    header: tuple[str, ...], values: tuple[Shown, ...], ref: RowRef, limit: int
) -> TableRow | RowError:
    if any(value is not None for value in values[len(header) :]):
        return RowError(ref, "column_count", {"expected": len(header), "found": len(values)})
    unkept = _unkept(values)
    if unkept:
        return RowError(ref, f"cell_{unkept.reason}", {"cell": unkept.address})
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
