"""CMMLU's layout: folders `test` and `dev` of one CSV file a subject, as its scripts read them.

Cells hold the exact text. Nothing guards them against spreadsheets, and there is no column for the
canary: scripts read these files by the position of their columns.
"""

from collections.abc import Sequence

from common.csv_cells import csv_line
from languages.letters import LETTERS
from releases.files.exporters.base import DataFormat, Row
from releases.files.exporters.numbering import RowNumbers
from releases.files.exporters.output import OutputFile
from releases.files.manifest import ReleaseFacts

OPTION_COUNT = 4
COLUMNS = ("", "Question", *LETTERS[:OPTION_COUNT], "Answer")


def has_four_options(row: Row) -> bool:
    return len(row.choices) == OPTION_COUNT


class CmmluWriter:
    """Writes the columns index, Question, A to D, Answer."""

    def __init__(self, file: OutputFile, _facts: ReleaseFacts) -> None:
        self._file = file
        self._numbers = RowNumbers()
        file.write(f"{csv_line(COLUMNS)}\n".encode())

    def write(self, rows: Sequence[Row]) -> None:
        lines = [csv_line(self._cells(row)) for row in rows]
        self._file.write("\n".join([*lines, ""]).encode())

    def close(self) -> None:
        pass

    def _cells(self, row: Row) -> tuple[str, ...]:
        number = str(self._numbers.number(row))
        return (number, row.question, *row.choices, LETTERS[row.answer])


FORMAT = DataFormat(
    name="cmmlu",
    media_type="text/csv",
    writer=CmmluWriter,
    description=(
        "`cmmlu/<split>/<subject>.csv`: the layout of CMMLU, for its scripts. Items with four "
        "options only; the exact text, so open it with a program and not with a spreadsheet."
    ),
    opening='pandas.read_csv("{file}", index_col=0, dtype=str, keep_default_na=False)',
    ending="csv",
    title="CMMLU",
    takes=has_four_options,
)
