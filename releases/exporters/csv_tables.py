"""CSV for spreadsheets: one file for each split and subject, with cells that can't run.

A cell that a spreadsheet would take for a formula gets an apostrophe before it. A cell that
already looks like one treated so gets one more, so that taking one away always gives the text back.
"""

import csv
import io
import re
from collections.abc import Iterator

from releases.exporters.base import (
    LETTERS,
    ExportFile,
    ReleaseContent,
    Row,
    file_stem,
    rows_by_file,
)

MEDIA_TYPE = "text/csv"
COLUMNS = ("id", "subject", "question", *LETTERS, "key", "explanation", "canary")

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def export(content: ReleaseContent) -> Iterator[ExportFile]:
    """Write the columns id, subject, question, A to F, key, explanation, canary."""
    for split, subject, rows in rows_by_file(content.rows):
        yield ExportFile(
            name=f"csv/{split}/{file_stem(subject)}.csv",
            media_type=MEDIA_TYPE,
            pieces=_pieces(rows, content.facts.canary),
            row_count=len(rows),
        )


def defuse(cell: str) -> str:
    """Make `cell` harmless in a spreadsheet; `restore` is its inverse."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restore(cell: str) -> str:
    """The text that `defuse` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _pieces(rows: list[Row], canary: str) -> Iterator[str]:
    yield _line(COLUMNS)
    for row in rows:
        options = (*row.choices, *[""] * (len(LETTERS) - len(row.choices)))
        key = LETTERS[row.answer]
        yield _line((row.id, row.subject, row.question, *options, key, row.explanation, canary))


def _line(cells: tuple[str, ...]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([defuse(cell) for cell in cells])
    return buffer.getvalue()
