"""JSONL: exact text, one file for each split and subject."""

from collections.abc import Sequence

from releases.exporters.base import DataFormat, Row
from releases.exporters.output import OutputFile
from releases.manifest import ReleaseFacts, json_text, keep_on_one_line


class JsonlWriter:
    """Writes the fields of a row in the order of `_line`."""

    def __init__(self, file: OutputFile, facts: ReleaseFacts) -> None:
        self._file = file
        self._canary = json_text(facts.canary)

    def write(self, rows: Sequence[Row]) -> None:
        text = "".join([_line(row, self._canary) for row in rows])
        self._file.write(keep_on_one_line(text).encode())

    def close(self) -> None:
        """Nothing is held back."""


FORMAT = DataFormat(
    name="jsonl",
    media_type="application/jsonl",
    writer=JsonlWriter,
    description=(
        "`jsonl/<split>/<subject>.jsonl`: id, subject, question, choices, answer (0 is the first "
        "choice, -1 is none), explanation, category, level, year, kind, split, source_question, "
        "source_choices, source_ids, reference (the answer of an item without choices), "
        "source_reference, source_explanation, canary. The exact text."
    ),
    opening='pandas.read_json("{file}", lines=True, dtype=False)',
)


def _line(row: Row, canary: str) -> str:
    return (
        f'{{"id": {json_text(row.id)}, "subject": {json_text(row.subject)}, '
        f'"question": {json_text(row.question)}, '
        f'"choices": [{", ".join(map(json_text, row.choices))}], "answer": {row.answer}, '
        f'"explanation": {json_text(row.explanation)}, "category": {json_text(row.category)}, '
        f'"level": {json_text(row.level)}, "year": {json_text(row.year)}, "kind": "{row.kind}", '
        f'"split": "{row.split}", "source_question": {json_text(row.source_question)}, '
        f'"source_choices": [{", ".join(map(json_text, row.source_choices))}], '
        f'"source_ids": [{", ".join(map(json_text, row.source_ids))}], '
        f'"reference": {json_text(row.reference)}, '
        f'"source_reference": {json_text(row.source_reference)}, '
        f'"source_explanation": {json_text(row.source_explanation)}, "canary": {canary}}}\n'
    )
