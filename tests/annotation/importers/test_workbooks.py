"""Workbooks as a person sees them: what is shown is read, what cannot be kept is refused by address."""

# ruff: noqa: DTZ001 - times in a workbook have no zone

from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from annotation.importers.base import RowError, SourceRow
from annotation.importers.formats import OpenedImport, open_import
from annotation.importers.labels import describe
from annotation.importers.shown_cells import NotExact, shown_date, shown_number

HEADER = ("uid", "subject", "question", "option_a", "option_b", "key")
Change = Callable[[Any], None]


def raised(text: str, level: str = "superscript") -> TextBlock:
    return TextBlock(InlineFont(vertAlign=level), text)


def book_of(path: Path, *questions: Any, change: Change = lambda book: None) -> Path:
    """Save a workbook with an item for each question, after `change` has seen it."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(HEADER)  # type: ignore[union-attr]
    for number, question in enumerate(questions, start=1):
        sheet.append((f"u{number}", "s", question, "a", "b", "A"))  # type: ignore[union-attr]
    change(book)
    book.save(path)
    return path


def opened(path: Path, **options: Any) -> OpenedImport:
    return open_import(path, **options)


def questions(path: Path) -> list[str]:
    return [row.question for row in opened(path).rows if isinstance(row, SourceRow)]


def test_raised_and_lowered_signs_are_kept_in_the_cell_and_in_its_parts(tmp_path: Path) -> None:
    def lower_all(book: Any) -> None:
        book.active["C4"].font = Font(vertAlign="superscript")

    path = book_of(
        tmp_path / "a.xlsx",
        CellRichText("10", raised("-5"), " m"),
        CellRichText("H", raised("2", "subscript"), "O"),
        "23",
        change=lower_all,
    )
    assert questions(path) == ["10⁻⁵ m", "H₂O", "²³"]


@pytest.mark.parametrize(
    ("value", "style", "expected"),
    [
        (0.25, "0%", "25%"),
        (0.255, "0.0%", "25.5%"),
        (5, "000", "005"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-3, "0;(0)", "(3)"),
        (0, "0;-0;zero", None),
        (12345, "0.00E+00", "1.23E+04"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "100000000000000000000"),
        (7, '0" kg"', "7 kg"),
        (-0.001, "0%", "0%"),
        (0.5, "# ?/?", None),
        (5, "[>3]0", None),
        (5, "0,", None),
    ],
)
def test_number_is_shown_as_its_format_says_or_not_at_all(
    value: float, style: str, expected: str | None
) -> None:
    if expected is None:
        with pytest.raises(NotExact):
            shown_number(value, style)
    else:
        assert shown_number(value, style) == expected


@pytest.mark.parametrize(
    ("value", "style", "expected"),
    [
        (datetime(2026, 1, 5, 14, 7), "yyyy-mm-dd h:mm:ss", "2026-01-05 14:07:00"),
        (datetime(2026, 1, 5, 14, 7), "dd.mm.yy h:mm AM/PM", "05.01.26 2:07 PM"),
        (date(2026, 1, 5), 'yyyy"年"m"月"d"日"', "2026年1月5日"),
        (time(9, 7, 3), "h:mm:ss", "9:07:03"),
        (datetime(2026, 1, 5), "mm-dd-yy", None),
        (datetime(2026, 1, 5), "d mmm yyyy", None),
        (time(9, 7), "yyyy", None),
    ],
)
def test_date_is_shown_as_its_format_says_or_not_at_all(
    value: Any, style: str, expected: str | None
) -> None:
    if expected is None:
        with pytest.raises(NotExact):
            shown_date(value, style)
    else:
        assert shown_date(value, style) == expected


def test_cells_of_a_workbook_take_their_formats(tmp_path: Path) -> None:
    def style(book: Any) -> None:
        for cell, number_format in (("C2", "0%"), ("C3", "000"), ("C4", "yyyy/m/d")):
            book.active[cell].number_format = number_format

    path = book_of(tmp_path / "a.xlsx", 0.25, 5, date(2026, 11, 8), 3.0, "TRUE", change=style)
    assert questions(path) == ["25%", "005", "2026/11/8", "3", "TRUE"]


def strike(book: Any) -> None:
    book.active["C2"].font = Font(strike=True)


def fraction(book: Any) -> None:
    book.active["C2"].number_format = "# ?/?"


@pytest.mark.parametrize(
    ("value", "change", "reason"),
    [
        (CellRichText("x", raised("丁")), None, "raised"),
        (CellRichText("x", raised("丁", "subscript")), None, "lowered"),
        (CellRichText("x", TextBlock(InlineFont(strike=True), "y")), None, "struck"),
        ("x", strike, "struck"),
        (0.5, fraction, "number_format"),
        ("=1+1", None, "formula"),
        ("#REF!", None, "error_value"),
    ],
)
def test_cell_that_cannot_be_kept_is_refused_by_its_address(
    tmp_path: Path, value: Any, change: Change | None, reason: str
) -> None:
    path = book_of(tmp_path / "a.xlsx", value, "sound", change=change or (lambda book: None))
    bad, good = opened(path).rows
    assert isinstance(bad, RowError)
    assert isinstance(good, SourceRow)
    assert (bad.code, bad.data, bad.ref.row) == (f"cell_{reason}", {"cell": "C2"}, 2)
    assert "C2" in describe(bad.code, bad.data)


def test_hidden_rows_and_columns_and_other_sheets_are_named(tmp_path: Path) -> None:
    def hide(book: Any) -> None:
        book.active.row_dimensions[3].hidden = True
        book.active.column_dimensions["E"].hidden = True
        book.create_sheet("Second")
        book.create_sheet("Draft")

    found = opened(book_of(tmp_path / "a.xlsx", "one", "two", change=hide))
    assert [(note.code, note.data) for note in found.notes] == [
        ("other_sheets", {"sheet": "Sheet", "others": "Second, Draft"}),
        ("hidden_rows", {"sheet": "Sheet", "rows": "3"}),
        ("hidden_columns", {"sheet": "Sheet", "columns": "E"}),
    ]
    assert all(describe(note.code, note.data) for note in found.notes)
    assert len([*found.rows]) == 2


def test_first_sheet_that_is_not_hidden_is_read(tmp_path: Path) -> None:
    def put_before(book: Any) -> None:
        book.create_sheet("Notes", 0).sheet_state = "hidden"

    assert questions(book_of(tmp_path / "a.xlsx", "one", change=put_before)) == ["one"]
