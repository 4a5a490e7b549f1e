"""CSV for spreadsheets: one file for each split and subject, with cells that can't run.

A cell that a spreadsheet would take for a formula gets an apostrophe before it. A cell that
already looks like one treated so gets one more, so that taking one away always gives the text back.
"""

from collections.abc import Sequence

from common.csv_cells import csv_line, defused
from languages.letters import LETTERS
from releases.exporters.base import DataFormat, Row
from releases.exporters.output import OutputFile

COLUMNS = (
    *("id", "subject", "question", *LETTERS, "key", "explanation"),
    *("category", "level", "year", "kind", "split", "source_question"),
    *(f"source_{letter}" for letter in LETTERS),
    *("source_ids", "reference", "source_reference", "source_explanation", "canary"),
)

_EMPTY = ("",) * len(LETTERS)


class CsvWriter:
    """Writes `COLUMNS`; several ids of source rows stand on lines of their own in the cell."""

    def __init__(self, file: OutputFile, canary: str) -> None:
        self._file = file
        self._canary = canary
        file.write(f"{csv_line(COLUMNS)}\n".encode())

    def write(self, rows: Sequence[Row]) -> None:
        lines = [csv_line(_cells(row, self._canary)) for row in rows]
        self._file.write("\n".join([*lines, ""]).encode())

    def close(self) -> None:
        """Nothing is held back."""


FORMAT = DataFormat(
    name="csv",
    media_type="text/csv",
    writer=CsvWriter,
    description=(
        "`csv/<split>/<subject>.csv`: the same with columns A to F and source_A to source_F, and "
        "the key as a letter, empty without options. A cell that begins like a formula has an apostrophe before it."
    ),
    opening='pandas.read_csv("{file}", dtype=str, keep_default_na=False)',
)


def _cells(row: Row, canary: str) -> Sequence[str]:
    return defused(
        (
            row.id,
            row.subject,
            row.question,
            *row.choices,
            *_EMPTY[len(row.choices) :],
            LETTERS[row.answer] if row.choices else "",
            row.explanation,
            row.category,
            row.level,
            row.year,
            row.kind,
            row.split,
            row.source_question,
            *row.source_choices[: len(LETTERS)],
            *_EMPTY[len(row.source_choices) :],
            "\n".join(row.source_ids),
            row.reference,
            row.source_reference,
            row.source_explanation,
            canary,
        )
    )
