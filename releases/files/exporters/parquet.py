"""Parquet: the rows of JSONL with typed columns, one file for each split and subject."""

from collections.abc import Sequence
from typing import Any

from releases.files.exporters.base import DataFormat, Row
from releases.files.exporters.output import OutputFile
from releases.files.manifest import ReleaseFacts

ROWS_PER_GROUP = 5_000


class ParquetWriter:
    """Writes the columns of JSONL in the same order.

    The rows are compressed in groups; the same library gives the same bytes.
    """

    def __init__(self, file: OutputFile, facts: ReleaseFacts) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        text = pa.string()
        self._schema = pa.schema(
            [("id", text), ("subject", text), ("question", text), ("choices", pa.list_(text)),
             ("answer", pa.int8()), ("explanation", text), ("category", text), ("level", text),
             ("year", text), ("kind", text), ("split", text), ("source_question", text),
             ("source_choices", pa.list_(text)), ("source_ids", pa.list_(text)), ("reference", text),
             ("source_reference", text), ("source_explanation", text), ("direction", text),
             ("canary", text)]
        )  # fmt: skip
        self._table = pa.table
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._canary = facts.canary
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
    title="Parquet",
    media_type="application/vnd.apache.parquet",
    writer=ParquetWriter,
    description="`parquet/<split>/<subject>.parquet`: the columns of JSONL, typed and compressed.",
    opening='pandas.read_parquet("{file}")',
)


def _columns(rows: Sequence[Row], canary: str) -> dict[str, list[Any]]:
    """Return the values of each column, by name; the schema gives the order."""
    columns = dict(zip(Row._fields, map(list, zip(*rows, strict=True)), strict=True))
    return {**columns, "canary": [canary] * len(rows)}
