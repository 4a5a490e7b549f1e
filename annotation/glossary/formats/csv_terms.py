"""Terms as CSV: one a line, several renderings in a cell parted by “|”.

Written with commas in UTF-8. Read also with semicolons or tabs and in UTF-16, as Excel writes them.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from annotation.glossary.formats.base import (
    ReadTerms,
    RowProblem,
    TermRow,
    checked,
    is_utf_16,
    refused,
)
from annotation.glossary.matching import KINDS
from annotation.glossary.term_values import BETWEEN, TermValues
from common.csv_cells import restore
from common.downloads import csv_lines

COLUMNS: Final = (
    "source",
    "preferred",
    "allowed",
    "forbidden",
    "part_of_speech",
    "domain",
    "note",
)
_LONGEST_CELL: Final = 100_000
_DELIMITERS: Final = ",;\t"


def write_csv(terms: Iterable[TermValues]) -> Iterator[str]:
    """Yield a header and one line a term."""
    return csv_lines(COLUMNS, ({name: _cell(term, name) for name in COLUMNS} for term in terms))


def read_csv(content: bytes) -> ReadTerms:
    """Read a table with a line that names the columns; only `source` must be there."""
    try:
        text = content.decode("utf-16" if is_utf_16(content) else "utf-8-sig")
    except UnicodeDecodeError:
        return refused("not_text")
    if "\0" in text:
        return refused("not_text")
    csv.field_size_limit(_LONGEST_CELL)
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=_delimiter_of(text), strict=True)
    try:
        header = _names(next(reader, []))
        if wrong := _problem_of(header):
            return ReadTerms(problems=(wrong,))
        return checked(_rows(reader, header))
    except csv.Error as error:
        return ReadTerms(
            problems=(RowProblem(reader.line_num, "", "not_csv", {"why": str(error)}),)
        )


def _delimiter_of(text: str) -> str:
    first = text.lstrip().split("\n", 1)[0].replace('"', "")
    found = (each for each in _DELIMITERS if "source" in _names(first.split(each)))
    return next(found, _DELIMITERS[0])


def _names(cells: Iterable[str]) -> list[str]:
    return [name.strip().lower() for name in cells]


def _problem_of(header: Sequence[str]) -> RowProblem | None:
    if "source" not in header:
        return RowProblem(1, "", "no_column", {"column": "source"})
    for name in header:
        if name not in COLUMNS:
            data = {"column": name[:80], "known": ", ".join(COLUMNS)}
            return RowProblem(1, "", "column_unknown", data)
        if header.count(name) > 1:
            return RowProblem(1, "", "column_repeated", {"column": name})
    return None


def _rows(reader: Iterable[list[str]], header: Sequence[str]) -> Iterator[TermRow]:
    for number, cells in enumerate(reader, 2):
        values = dict(zip(header, map(restore, cells), strict=False))
        if any(cells):
            yield TermRow(number, _values(values))


def _values(cells: dict[str, str]) -> TermValues:
    renderings = {kind: tuple(cells.get(kind, "").split(BETWEEN)) for kind in KINDS}
    plain = {name: cells.get(name, "") for name in COLUMNS if name not in KINDS}
    return TermValues(**plain, **renderings)  # type: ignore[arg-type]


def _cell(term: TermValues, name: str) -> str:
    value = getattr(term, name)
    return value if isinstance(value, str) else f" {BETWEEN} ".join(value)
