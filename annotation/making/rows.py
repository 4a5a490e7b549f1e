"""Reads rows of texts from JSONL or a CSV table, as every way of making items does."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, Final

from annotation.making.base import Fault

LONGEST_ROW: Final = 10_000
"""Characters of a pair or a prompt."""
LONGEST_ID: Final = 100
LONGEST_SUBJECT: Final = 100
BYTE_ORDER_MARK: Final = "\ufeff"
"""Some editors and spreadsheets begin a file with it."""


def read_jsonl(text: str) -> Iterator[tuple[int, object]]:
    """Yield the rows of JSONL that are not empty, with their lines; None for one that is no JSON."""
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            yield line, _decoded(row)


def read_csv(text: str, columns: Iterable[str]) -> Iterator[tuple[int, object]]:
    """Yield these columns of a CSV table with the lines of its rows, None where it is broken."""
    csv.field_size_limit(LONGEST_ROW * 2)  # of the process, so each reader sets its own
    rows = table_of(text)
    try:
        rows.fieldnames = headings_in(rows)
        for cells in rows:
            yield rows.line_num, {name: cells[name] for name in columns if name in cells}
    except csv.Error:
        yield rows.line_num, None


def table_of(text: str) -> "csv.DictReader[str]":
    """Return a CSV table: commas, semicolons or tabs part its cells, whichever its first line has most of."""
    plain = text.removeprefix(BYTE_ORDER_MARK)
    first = plain.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    return csv.DictReader(
        StringIO(plain, newline=""), restval="", skipinitialspace=True, delimiter=separator
    )


def headings_in(table: "csv.DictReader[str]") -> list[str]:
    """Return the headings of a table without the blanks around them, in small letters. Raises csv.Error."""
    return [name.strip().casefold() for name in table.fieldnames or ()]


def texts_in(cells: Mapping[Any, Any], names: Sequence[str]) -> dict[str, str] | None:
    """Return the texts of a row by name, None if one is of another kind; an id may be a number."""
    values = {name: cells.get(name, "") for name in names}
    if isinstance(values["id"], int) and not isinstance(values["id"], bool):
        values["id"] = str(values["id"])
    if not all(isinstance(value, str) for value in values.values()):
        return None
    return dict(zip(values, without_nul([*values.values()]), strict=True))


def fault_in(texts: Mapping[str, str], line: int) -> Fault | None:
    """Return what is wrong with the id or the subject of a row: no item could have them."""
    if len(texts["id"]) > LONGEST_ID or not texts["id"].isprintable():
        return Fault("bad_id", line, {"most": LONGEST_ID})
    if len(texts["subject"]) > LONGEST_SUBJECT:
        return Fault("subject_too_long", line, {"most": LONGEST_SUBJECT})
    return None


def without_nul(texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts as a database can store them: without NUL, half characters and outer white space."""
    return tuple(
        text.encode("utf-8", "ignore").decode().replace("\0", "").strip() for text in texts
    )


def _decoded(row: str) -> object:
    try:
        return json.loads(row)
    except (ValueError, RecursionError):
        return None
