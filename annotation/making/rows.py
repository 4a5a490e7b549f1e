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


def read_jsonl(text: str) -> Iterator[tuple[int, object]]:
    """Yield the rows of JSONL that are not empty, with their lines; None for one that is no JSON."""
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            yield line, _decoded(row)


def read_csv(text: str, columns: Iterable[str]) -> Iterator[tuple[int, object]]:
    """Yield these columns of a CSV table with the lines of its rows, None where it is broken.

    Blanks around the headings do not count.
    """
    csv.field_size_limit(LONGEST_ROW * 2)  # of the process, so each reader sets its own
    rows = csv.DictReader(StringIO(text, newline=""), restval="", skipinitialspace=True)
    try:
        rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
        for cells in rows:
            yield rows.line_num, {name: cells[name] for name in columns if name in cells}
    except csv.Error:
        yield rows.line_num, None


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
