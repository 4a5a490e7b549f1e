"""Streams the cells of one sheet with what shows them: raised parts, number formats, formulas.

openpyxl's own reader for streams drops raised and lowered parts of a text that stands in the
sheet, and takes a formula without a value for an empty cell. Its parser can do better but is
private; nothing else uses it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final, cast

from annotation.importers.shown_cells import NotExact, at_level, shown_date, shown_number

_EXCEL_ERROR: Final = "e"


@dataclass(frozen=True, slots=True)
class Unkept:
    """A cell whose text cannot be kept exactly: its address and the code of the reason."""

    address: str
    reason: str


Shown = str | Unkept | None


def sheet_rows(book: Any, sheet: Any, width: int) -> Iterator[tuple[int, tuple[Shown, ...]]]:
    """Yield the number of each row that has cells, and what they show, at most `width` of them."""
    from openpyxl.cell.read_only import ReadOnlyCell

    with book._archive.open(sheet._worksheet_path) as source:  # noqa: SLF001
        parser = _parser(book, sheet, source)
        for number, found in parser.parse():
            parser.row_dimensions.clear()
            values: list[Shown] = []
            for said in found:
                column = said["column"]
                if column > width:
                    raise OverflowError
                values += [None] * (column - len(values))
                values[column - 1] = _shown(ReadOnlyCell(sheet, **said))
            yield number, tuple(values)


def _parser(book: Any, sheet: Any, source: Any) -> Any:
    from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

    class Parser(WorkSheetParser):
        def parse_cell(self, element: Any) -> dict[str, Any]:
            cell: dict[str, Any] = super().parse_cell(element)
            if cell["value"] is None and element.find(FORMULA_TAG) is not None:
                cell["data_type"] = "f"
            return cell

    return Parser(
        source,
        sheet._shared_strings,  # noqa: SLF001
        data_only=True,
        epoch=book.epoch,
        date_formats=book._date_formats,  # noqa: SLF001
        timedelta_formats=book._timedelta_formats,  # noqa: SLF001
        rich_text=True,
    )


def _shown(cell: Any) -> Shown:
    value, kind = cell.value, cell.data_type
    if value is None:
        return Unkept(cell.coordinate, "formula") if kind == "f" else None
    if kind == _EXCEL_ERROR:
        return Unkept(cell.coordinate, "error_value")
    if cell.has_style and cell.font.strike:
        return Unkept(cell.coordinate, "struck")
    try:
        text = _text(cell, value)
        return at_level(text, cell.font.vertAlign) if cell.has_style else text
    except NotExact as fact:
        return Unkept(cell.coordinate, fact.reason)


def _text(cell: Any, value: object) -> str:
    from openpyxl.cell.rich_text import CellRichText

    if isinstance(value, CellRichText):
        return "".join(_run(run) for run in value)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    pattern = cell.number_format if cell.has_style else "General"
    if isinstance(value, datetime | date | time):
        return shown_date(value, pattern)
    if isinstance(value, timedelta):
        raise NotExact("date_format")
    return shown_number(cast("float", value), pattern)


def _run(run: Any) -> str:
    if isinstance(run, str):
        return run
    if run.font.strike:
        raise NotExact("struck")
    return at_level(run.text, run.font.vertAlign)
