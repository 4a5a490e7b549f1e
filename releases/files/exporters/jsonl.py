"""JSONL: exact text, one file for each split and subject."""

from collections.abc import Sequence
from operator import attrgetter

from releases.files.exporters.base import DataFormat, Row
from releases.files.exporters.output import OutputFile
from releases.files.manifest import ReleaseFacts, json_line

FIELDS = (
    *("id", "subject", "question", "choices", "answer", "explanation", "category", "level"),
    *("year", "kind", "split", "source_question", "source_choices", "source_ids"),
    *("reference", "source_reference", "source_explanation", "direction"),
)
_values = attrgetter(*FIELDS)


class JsonlWriter:
    """Writes FIELDS and the canary."""

    def __init__(self, file: OutputFile, facts: ReleaseFacts) -> None:
        self._file = file
        self._canary = facts.canary

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            told = dict(zip(FIELDS, _values(row), strict=True), canary=self._canary)
            self._file.write(json_line(told).encode())

    def close(self) -> None:
        pass


FORMAT = DataFormat(
    name="jsonl",
    media_type="application/jsonl",
    writer=JsonlWriter,
    description=(
        "`jsonl/<split>/<subject>.jsonl`: id, subject, question, choices, answer (0 is the first "
        "choice, -1 is none), explanation, category, level, year, kind, split, source_question, "
        "source_choices, source_ids, reference (the answer of an item without choices), "
        "source_reference, source_explanation, direction (the languages of "
        "an item that asks for a text in another, as zh-bo), canary. The exact text."
    ),
    opening='pandas.read_json("{file}", lines=True, dtype=False)',
)
