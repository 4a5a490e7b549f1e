"""Rows as a stream of CSV or JSON lines; cells that a spreadsheet would run are defused."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_FORMULA = re.compile(r"[=+\-@\t\r\n]")
_BOM = "\ufeff"


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A header and a line a row, with a byte order mark so that spreadsheets read UTF-8."""
    yield _BOM + _csv_line(columns)
    for row in rows:
        yield _csv_line([row[column] for column in columns])


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One JSON object a row."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _csv_line(cells: Iterable[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow([_cell(cell) for cell in cells])
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return f"'{text}" if isinstance(text, str) and _FORMULA.match(text) else text
