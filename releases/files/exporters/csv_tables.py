"""CSV for spreadsheets: one file for each split and subject, with cells that can't run.

A cell that a spreadsheet would take for a formula gets an apostrophe before it. A cell that
already looks like one treated so gets one more, so that taking one away always gives the text back.
"""

from collections.abc import Mapping, Sequence

from common.csv_cells import csv_line, defused
from languages.letters import COMMON_LETTERS, LETTERS, letters_of
from releases.files.exporters.base import DataFormat, Row
from releases.files.exporters.output import OutputFile
from releases.files.manifest import ReleaseFacts


def columns(option_counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the columns of every file of a release that has items with so many options."""
    letters = _letters(option_counts)
    return (
        *("id", "subject", "question", *letters, "key", "explanation"),
        *("category", "level", "year", "kind", "split", "source_question"),
        *(f"source_{letter}" for letter in letters),
        *(
            "source_ids",
            "reference",
            "source_reference",
            "source_explanation",
            "direction",
            "canary",
        ),
    )


def _letters(option_counts: Mapping[str, int]) -> str:
    """Return A to F, and more where an item has more options: all files of a release are alike."""
    return letters_of(max([COMMON_LETTERS, *map(int, option_counts)]))


class CsvWriter:
    """Writes `columns`; several ids of source rows stand on lines of their own in the cell."""

    def __init__(self, file: OutputFile, facts: ReleaseFacts) -> None:
        self._file = file
        self._canary = facts.canary
        self._empty = ("",) * len(_letters(facts.counts.option_counts))
        file.write(f"{csv_line(columns(facts.counts.option_counts))}\n".encode())

    def write(self, rows: Sequence[Row]) -> None:
        lines = [csv_line(_cells(row, self._canary, self._empty)) for row in rows]
        self._file.write("\n".join([*lines, ""]).encode())

    def close(self) -> None:
        pass


FORMAT = DataFormat(
    name="csv",
    media_type="text/csv",
    writer=CsvWriter,
    description=(
        "`csv/<split>/<subject>.csv`: the same with a column for each option (A, B, …; source_A, source_B, …), "
        "and the key as a letter, empty without options. A cell that begins like a formula has an apostrophe "
        "before it."
    ),
    opening='pandas.read_csv("{file}", dtype=str, keep_default_na=False)',
)


def _cells(row: Row, canary: str, empty: Sequence[str]) -> Sequence[str]:
    return defused(
        (
            row.id,
            row.subject,
            row.question,
            *row.choices,
            *empty[len(row.choices) :],
            LETTERS[row.answer] if row.choices else "",
            row.explanation,
            row.category,
            row.level,
            row.year,
            row.kind,
            row.split,
            row.source_question,
            *row.source_choices[: len(empty)],
            *empty[len(row.source_choices) :],
            "\n".join(row.source_ids),
            row.reference,
            row.source_reference,
            row.source_explanation,
            row.direction,
            canary,
        )
    )
