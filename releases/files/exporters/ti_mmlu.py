"""Ti-MMLU's layout: one JSONL file a subject, few-shot items in a folder of their own.

Question and options are one text there. Where that text leaves doubt which is which, or would lose
white space, the row lists its options besides, so that our importer reads the same item again.
"""

from collections.abc import Sequence

from annotation.importers.options import join_options, reads_back
from languages.letters import LETTERS
from releases.files.exporters.base import DataFormat, Row, file_stem
from releases.files.exporters.cmmlu import has_four_options
from releases.files.exporters.numbering import RowNumbers
from releases.files.exporters.output import OutputFile
from releases.files.manifest import ReleaseFacts, json_line


class TiMmluWriter:
    """Writes {loc, polished_ti_content, answer, canary} a row, and `options` where there is doubt."""

    def __init__(self, file: OutputFile, facts: ReleaseFacts) -> None:
        self._file = file
        self._canary = facts.canary
        self._numbers = RowNumbers()

    def write(self, rows: Sequence[Row]) -> None:
        self._file.write("".join([self._line(row) for row in rows]).encode())

    def close(self) -> None:
        pass

    def _line(self, row: Row) -> str:
        told = {
            "loc": f"{file_stem(row.subject)}{self._numbers.number(row)}",
            "polished_ti_content": join_options(row.question, row.choices),
            "answer": LETTERS[row.answer],
            "canary": self._canary,
        }
        if reads_back(row.question, row.choices):
            return json_line(told)
        return json_line({**told, "options": row.choices})


FORMAT = DataFormat(
    name="ti_mmlu",
    media_type="application/jsonl",
    writer=TiMmluWriter,
    description=(
        "`ti_mmlu/<subject>.jsonl` and `ti_mmlu_5shot/<subject>.jsonl`: the layout of Ti-MMLU, "
        "question and options in one text. Items with four options only."
    ),
    opening='pandas.read_json("{file}", lines=True, dtype=False)',
    folders={"test": "ti_mmlu", "dev": "ti_mmlu_5shot"},
    ending="jsonl",
    title="Ti-MMLU",
    takes=has_four_options,
)
