"""Reads text line by line and record by record without ever holding more than one row."""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final, NamedTuple

from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles

_BOM: Final = b"\xef\xbb\xbf"
_CHUNK: Final = 1 << 16
_LINES_OF_A_ROW: Final = 5
_BLANK_LINES: Final = 100_000
_SEPARATORS: Final = ",\t;|，；"
_SAID: Final = re.compile(r"\Asep=(.)\s*\Z", re.IGNORECASE)
_SAMPLE_BYTES: Final = 1 << 16
_SAMPLE_RECORDS: Final = 20
_CERTAIN_COLUMNS: Final = 3


class Line(NamedTuple):
    """One line with its ending; `text` is None where it is longer than a row may be."""

    number: int
    text: str | None


class Record(NamedTuple):
    """One CSV record; `row` counts records as a spreadsheet does, from 1."""

    row: int
    cells: tuple[str, ...]


def read_lines(file: InputFile, inputs: InputFiles) -> Iterator[Line]:
    """Yield the lines of a UTF-8 file; raises ImportRefused with the offset of a wrong byte.

    Lines are bounded too, since blank ones become no rows, and many can stand in one row.
    """
    guard_size(file, inputs)
    most = inputs.limits.rows * _LINES_OF_A_ROW
    with file.open() as handle:
        offset = number = blank = 0
        while raw := handle.readline(inputs.limits.row_bytes + 1):
            number += 1
            if number > most:
                raise too_many_rows(file.name, inputs.limits.rows)
            blank = blank + 1 if raw.isspace() else 0
            if blank > _BLANK_LINES:
                raise ImportRefused(
                    "too_many_blank_lines", {"file": file.name, "limit": _BLANK_LINES}
                )
            if len(raw) > inputs.limits.row_bytes and not raw.endswith(b"\n"):
                offset += len(raw) + _skip_line(handle)
                yield Line(number, None)
            else:
                yield Line(number, _decode(raw, file.name, offset))
                offset += len(raw)
            if offset > inputs.limits.file_bytes:
                raise too_large(file, inputs.limits.file_bytes)


def guard_size(file: InputFile, inputs: InputFiles) -> None:
    """Raise ImportRefused where a file is over the limit."""
    if file.size > inputs.limits.file_bytes:
        raise too_large(file, inputs.limits.file_bytes)


def too_large(file: InputFile, limit: int) -> ImportRefused:
    """Return the refusal of a file over the limit."""
    return ImportRefused("file_too_large", {"file": file.name, "limit": limit})


def too_many_rows(name: str, limit: int) -> ImportRefused:
    """Return the refusal of a file with more rows than an import may have."""
    return ImportRefused("too_many_rows", {"file": name, "limit": limit})


def _skip_line(handle: BinaryIO) -> int:
    skipped = 0
    while chunk := handle.readline(_CHUNK):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped


def _decode(raw: bytes, name: str, offset: int) -> str:
    body = raw[len(_BOM) :] if offset == 0 and raw.startswith(_BOM) else raw
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        at = offset + len(raw) - len(body) + error.start
        raise ImportRefused("not_utf8", {"file": name, "offset": at}) from error
    if "\0" in text:
        at = offset + len(raw) - len(body) + body.index(b"\0")
        raise ImportRefused("nul_byte", {"file": name, "offset": at})
    return text


def read_whole(file: InputFile, inputs: InputFiles) -> str:
    """Return a whole UTF-8 file within the limit for such (JSON, which has no lines)."""
    limit = min(inputs.limits.json_bytes, inputs.limits.file_bytes)
    if file.size > limit:
        raise too_large(file, limit)
    with file.open() as handle:
        raw = handle.read(limit + 1)
    if len(raw) > limit:
        raise too_large(file, limit)
    return _decode(raw, file.name, 0)


def read_records(file: InputFile, inputs: InputFiles) -> Iterator[Record]:
    """Yield the non-empty records of a CSV file; raises ImportRefused where quotes don't close.

    Commas, tabs, semicolons or bars stand between the cells, as `separator_of` finds.
    """
    feed = _Feed(file, inputs)
    separator = inputs.separator or separator_of(file)
    row = 0
    try:
        for cells in csv.reader(feed, strict=True, delimiter=separator):
            row += 1
            feed.start_record()
            if cells and not (row == 1 and _SAID.match(separator.join(cells))):
                yield Record(row, tuple(cells))
    except csv.Error as error:
        code = "row_too_long" if "limit" in str(error) else "bad_csv"
        limit = inputs.limits.row_bytes
        raise ImportRefused(code, {"file": file.name, "row": row + 1, "limit": limit}) from error


def separator_of(file: InputFile) -> str:
    """Return the sign between the cells of a CSV file: it divides all first records alike.

    A first line `sep=;`, as Excel reads it, says it. Three columns of commas win over any other
    sign, then the most columns. Where records differ under every sign, the header decides.
    """
    if file.suffix == ".tsv":
        return "\t"
    sample = _sample(file)
    said = _SAID.match(sample[0]) if sample else None
    if said:
        return said[1]
    widths = {separator: _widths(sample, separator) for separator in _SEPARATORS}
    even = {sign: found[0] for sign, found in widths.items() if len(set(found)) == 1}
    if even.get(",", 0) >= _CERTAIN_COLUMNS:
        return ","
    if max(even.values(), default=0) > 1:
        return max(even, key=lambda sign: even[sign])
    return max(_SEPARATORS, key=lambda sign: widths[sign][:1])


def _sample(file: InputFile) -> list[str]:
    """Return the first whole lines of a file."""
    with file.open() as handle:
        sample = handle.read(_SAMPLE_BYTES)
    lines = sample.removeprefix(_BOM).decode(errors="replace").splitlines(keepends=True)
    return lines[:-1] if len(sample) == _SAMPLE_BYTES and len(lines) > 1 else lines


def _widths(lines: list[str], separator: str) -> list[int]:
    """Return the number of cells of the first records."""
    try:
        rows = islice(csv.reader(lines, delimiter=separator), _SAMPLE_RECORDS)
        return [len(cells) for cells in rows if cells]
    except csv.Error:
        return []


class _Feed:
    """Hands lines to the CSV reader and refuses a record that grows past the row limit."""

    def __init__(self, file: InputFile, inputs: InputFiles) -> None:
        self._lines = read_lines(file, inputs)
        self._name = file.name
        self._limit = inputs.limits.row_bytes
        self._size = 0

    def start_record(self) -> None:
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._size += len(line.text or "")
            if line.text is None or self._size > self._limit:
                where: dict[str, str | int] = {"file": self._name, "row": line.number}
                raise ImportRefused("row_too_long", where | {"limit": self._limit})
            yield line.text
