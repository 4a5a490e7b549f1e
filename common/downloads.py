"""Rows as a stream of CSV or JSON lines; no CSV cell runs in a spreadsheet."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from common.csv_cells import defuse

BOM = "\ufeff"


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A header and a line a row, with a byte order mark so that spreadsheets read UTF-8."""
    buffer = io.StringIO(BOM)
    writer = csv.writer(buffer)  # one for all lines: making it costs more than a line
    buffer.seek(0, io.SEEK_END)
    for cells in chain([columns], ([row[column] for column in columns] for row in rows)):
        writer.writerow(map(_cell, cells))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One JSON object a row."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for row in rows:
        yield f"{encode(row)}\n"


def _cell(value: Any) -> Any:
    return defuse(
        json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
    )
