"""Ti-MMLU's layout: one JSONL file a subject, few-shot items in a folder of their own."""

from collections.abc import Sequence

from languages.letters import LETTERS
from releases.exporters.base import DataFormat, Row, file_stem
from releases.exporters.cmmlu import has_four_options
from releases.exporters.numbering import RowNumbers
from releases.exporters.output import OutputFile
from releases.manifest import json_line


class TiMmluWriter:
    """Writes {loc, polished_ti_content, answer, canary} a row."""

    def __init__(self, file: OutputFile, canary: str) -> None:
        self._file = file
        self._canary = canary
        self._numbers = RowNumbers()

    def write(self, rows: Sequence[Row]) -> None:
        self._file.write("".join([self._line(row) for row in rows]).encode())

    def close(self) -> None:
        """Nothing is held back."""

    def _line(self, row: Row) -> str:
        options = zip(LETTERS, row.choices, strict=False)
        return json_line(
            {
                "loc": f"{file_stem(row.subject)}{self._numbers.number(row)}",
                "polished_ti_content": "\n".join(
                    [row.question, *(f"{letter}. {text}" for letter, text in options)]
                ),
                "answer": LETTERS[row.answer],
                "canary": self._canary,
            }
        )


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
