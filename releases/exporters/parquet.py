"""Parquet: the rows of JSONL with typed columns, one file for each split and subject."""

from collections.abc import Sequence
from typing import Any

from releases.exporters.base import DataFormat, Row
from releases.exporters.output import OutputFile

ROWS_PER_GROUP = 5_000


class ParquetWriter:
    """Writes the columns id, subject, question, choices, answer, explanation, canary.

    The rows are compressed in groups; the same library gives the same bytes.
    """

    def __init__(self, file: OutputFile, canary: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        text = pa.string()
        self._schema = pa.schema(
            [("id", text), ("subject", text), ("question", text), ("choices", pa.list_(text)),
             ("answer", pa.int8()), ("explanation", text), ("canary", text)]
        )  # fmt: skip
        self._table = pa.table
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._canary = canary
        self._held: list[Row] = []

    def write(self, rows: Sequence[Row]) -> None:
        self._held += rows
        while len(self._held) >= ROWS_PER_GROUP:
            self._write_group(self._held[:ROWS_PER_GROUP])
            del self._held[:ROWS_PER_GROUP]

    def close(self) -> None:
        if self._held:
            self._write_group(self._held)
        self._writer.close()

    def _write_group(self, rows: Sequence[Row]) -> None:
        self._writer.write_table(self._table(_columns(rows, self._canary), schema=self._schema))


FORMAT = DataFormat(
    name="parquet",
    media_type="application/vnd.apache.parquet",
    writer=ParquetWriter,
    description="`parquet/<split>/<subject>.parquet`: the columns of JSONL, typed and compressed.",
)


def _columns(rows: Sequence[Row], canary: str) -> dict[str, list[Any]]:
    return {
        "id": [row.id for row in rows],
        "subject": [row.subject for row in rows],
        "question": [row.question for row in rows],
        "choices": [row.choices for row in rows],
        "answer": [row.answer for row in rows],
        "explanation": [row.explanation for row in rows],
        "canary": [canary] * len(rows),
    }
