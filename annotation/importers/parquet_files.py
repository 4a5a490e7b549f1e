"""Reads the rows of Parquet files, a few at a time and never more text than has been measured.

A Parquet file stores a text once and refers to it by number, so a file of a kilobyte can stand
for gigabytes. Texts are therefore read as numbers with their dictionary; how long each row would
be is computed from these, and only then rows are made.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from annotation.importers.base import RowError, RowRef
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles, open_seekable
from annotation.importers.parquet_footers import GroupSizes, ParquetDamaged, group_sizes
from annotation.importers.table_rows import TableRow, decodes_too_large, guard_columns
from annotation.importers.text_files import guard_size, too_many_rows

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Sizes = npt.NDArray[np.int64]

_BATCH_ROWS: Final = 1_000
_BATCH_BYTES: Final = 8_000_000
_READ_BYTES: Final = 1 << 20
_CELL_BYTES: Final = 8


def read_parquet(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the rows of a Parquet file; raises ImportRefused."""
    import pyarrow as pa  # heavy, and only few imports need it

    guard_size(file, inputs)
    with open_seekable(file) as handle:
        try:
            yield from _rows(handle, file, inputs)
        except MemoryError:  # an ArrowException too, but not the file's damage
            raise
        except (ParquetDamaged, pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ImportRefused("not_parquet", {"file": file.name}) from error
        except (ValueError, OverflowError) as error:  # Python's dates are narrower than Parquet's
            raise ImportRefused("date_out_of_range", {"file": file.name}) from error


def _rows(handle: Any, file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    limits = inputs.limits
    number, held, most = 0, 0, limits.decoded_bytes(file.size)
    for batch in _batches(handle, file, inputs):
        sizes = _row_sizes(batch)
        held += int(sizes.sum())
        if held > most:
            raise decodes_too_large(file, inputs)
        for start, stop in _pieces(sizes):
            if sizes[start] > limits.row_bytes:
                yield RowError(
                    RowRef(file.name, number + start + 1),
                    "row_too_long",
                    {"limit": limits.row_bytes},
                )
                continue
            cells_of_rows = batch.slice(start, stop - start).to_pylist()
            for at, cells in enumerate(cells_of_rows, number + start + 1):
                yield TableRow(RowRef(file.name, at), cells)
        number += batch.num_rows


def _pieces(sizes: "Sizes") -> Iterator[tuple[int, int]]:
    """Divide rows of these sizes into pieces (from, to) of about _BATCH_BYTES.

    A row of more than that stands alone.
    """
    start, total = 0, 0
    for at, size in enumerate(sizes.tolist()):
        if at > start and total + size > _BATCH_BYTES:
            yield start, at
            start, total = at, 0
        total += size
    if start < len(sizes):
        yield start, len(sizes)


def _batches(handle: Any, file: InputFile, inputs: InputFiles) -> "Iterator[pa.RecordBatch]":
    """Yield the columns of a few rows at a time, texts as dictionaries."""
    from pyarrow import parquet

    groups = group_sizes(handle)
    _guard_groups(groups, file, inputs)
    handle.seek(0)
    metadata = parquet.read_metadata(handle)
    guard_columns(metadata.num_columns, file, inputs)
    handle.seek(0)
    schema = metadata.schema
    texts = [
        schema.column(index).path
        for index in range(metadata.num_columns)
        if schema.column(index).physical_type == "BYTE_ARRAY"
    ]
    table = parquet.ParquetFile(
        handle, metadata=metadata, read_dictionary=texts, buffer_size=_READ_BYTES, pre_buffer=False
    )
    for number, group in enumerate(groups):
        average = group.bytes // max(group.rows, 1) + 1
        size = max(1, min(_BATCH_ROWS, _BATCH_BYTES // average))
        yield from table.iter_batches(size, row_groups=[number], use_threads=False)


def _guard_groups(groups: tuple[GroupSizes, ...], file: InputFile, inputs: InputFiles) -> None:
    """Refuse what the file itself says to be too much; what it hides is found while reading."""
    if sum(group.rows for group in groups) > inputs.limits.rows:
        raise too_many_rows(file.name, inputs.limits.rows)
    size = sum(group.bytes + _CELL_BYTES * group.values for group in groups)
    if size > inputs.limits.decoded_bytes(file.size):
        raise decodes_too_large(file, inputs)


def _row_sizes(batch: "pa.RecordBatch") -> "Sizes":
    """Return the bytes of each row's texts, and _CELL_BYTES for every cell."""
    total: Sizes = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        total += _sizes(column)
    return total


def _sizes(column: Any) -> "Sizes":
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _sizes_of_references(column)
    if kind in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary()):
        return _text_sizes(column) + _CELL_BYTES
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        is_map = pa.types.is_map(kind)
        return _sizes_of_lists(
            column, *([column.keys, column.items] if is_map else [column.values])
        )
    if pa.types.is_struct(kind):
        return sum(map(_sizes, column.flatten()), np.full(len(column), _CELL_BYTES, np.int64))
    return np.full(len(column), _CELL_BYTES + column.nbytes // max(len(column), 1), np.int64)


def _sizes_of_references(column: Any) -> "Sizes":
    """Return the sizes of dictionary values, by which of them each row refers to."""
    if not len(column.dictionary):
        return np.full(len(column), _CELL_BYTES, np.int64)
    refers = np.where(_is_valid(column), _numbers(column.indices), 0)
    return np.where(_is_valid(column), _sizes(column.dictionary)[refers], _CELL_BYTES)


def _sizes_of_lists(column: Any, *parts: Any) -> "Sizes":
    total = np.full(len(column), _CELL_BYTES, np.int64)
    offsets = _numbers(column.offsets)
    for part in parts:
        ends = np.concatenate(([0], np.cumsum(_sizes(part), dtype=np.int64)))
        total += ends[offsets[1:]] - ends[offsets[:-1]]
    return total


# The next ones read what lies in memory: with Arrow's own functions Python would load pandas and
# three hundred more functions first, which takes a second.


def _is_valid(column: Any) -> "npt.NDArray[np.bool_]":
    bits = column.indices.buffers()[0]
    if bits is None:
        return np.ones(len(column), np.bool_)
    flags = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    return flags[column.indices.offset :][: len(column)].astype(np.bool_)


def _numbers(column: Any) -> "Sizes":
    """Return whole numbers; those that are null have any value."""
    values = column.buffers()[1]
    if values is None:
        return np.zeros(len(column), np.int64)
    found = np.frombuffer(values, f"i{column.type.bit_width // 8}")
    return found[column.offset :][: len(column)].astype(np.int64)


def _text_sizes(column: Any) -> "Sizes":
    """Return the lengths of texts in bytes, 0 for a null."""
    import pyarrow as pa

    width = 4 if column.type in (pa.string(), pa.binary()) else 8
    if column.buffers()[1] is None:
        return np.zeros(len(column), np.int64)
    offsets = np.frombuffer(column.buffers()[1], f"i{width}")
    return np.diff(offsets[column.offset :][: len(column) + 1]).astype(np.int64)
