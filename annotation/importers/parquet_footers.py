"""Reads what a Parquet file says of its own size, in a process of its own.

Where a footer contradicts itself, Arrow ends the whole process instead of raising an error.
"""

import hashlib
import json
import subprocess
import sys
from typing import BinaryIO, Final, NamedTuple

_MAGIC: Final = b"PAR1"
_TAIL: Final = 8  # the length of the metadata in four bytes, and the magic
_KEPT: Final = 512
_MOST_BYTES: Final = 16_000_000
_SECONDS: Final = 60
_READ: Final = """
import io, json, sys
from pyarrow import parquet
found = parquet.read_metadata(io.BytesIO(sys.stdin.buffer.read()))
groups = [found.row_group(at) for at in range(found.num_row_groups)]
values = [sum(group.column(at).num_values for at in range(found.num_columns)) for group in groups]
print(json.dumps([[group.num_rows, group.total_byte_size, count] for group, count in zip(groups, values)]))
"""


class ParquetDamaged(ValueError):
    """A file is no Parquet file, or its footer is too long or contradicts itself."""


class GroupSizes(NamedTuple):
    """What the footer says of one group of rows; `bytes` are those before compression."""

    rows: int
    bytes: int
    values: int


_known: dict[bytes, tuple[GroupSizes, ...]] = {}


def group_sizes(file: BinaryIO) -> tuple[GroupSizes, ...]:
    """Return the sizes of every group of rows. Raises ParquetDamaged.

    They are kept by the digest of the footer, since a file is opened several times: to recognise
    it, to show it, to import it.
    """
    footer = _footer(file)
    digest = hashlib.sha256(footer).digest()
    if digest not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[digest] = _sizes_of(footer)
    return _known[digest]


def _footer(file: BinaryIO) -> bytes:
    end = file.seek(0, 2)
    file.seek(max(end - _TAIL, 0))
    tail = file.read()
    length = int.from_bytes(tail[:4], "little")
    most = min(end - _TAIL - len(_MAGIC), _MOST_BYTES)
    if not tail.endswith(_MAGIC) or not 0 < length <= most:
        raise ParquetDamaged
    file.seek(end - _TAIL - length)
    return file.read()


def _sizes_of(footer: bytes) -> tuple[GroupSizes, ...]:
    try:
        found = subprocess.run(
            [sys.executable, "-I", "-c", _READ],
            input=_MAGIC + footer,
            capture_output=True,
            check=True,
            timeout=_SECONDS,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise ParquetDamaged from error
    return tuple(GroupSizes(*numbers) for numbers in json.loads(found.stdout))
