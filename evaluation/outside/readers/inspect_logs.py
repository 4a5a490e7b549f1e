"""Reads logs of Inspect: `.eval`, which is a ZIP of JSON files, and `.json`."""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.outside.readers.base import (
    AnswersUnreadable,
    OutsideAnswer,
    count,
    epoch_of,
    json_object,
    last_turn,
    mapping,
    number,
    rotation_of,
    text_of,
    texts_in,
)

ZSTANDARD = 93
"""The number of the method in the ZIP specification (APPNOTE 6.3.8, 4.4.5)."""
NAME_SIZE_AT = 26
"""Where the local header of a file in a ZIP has the sizes of its name and extra field."""
MOST_BYTES = 256 * 1024 * 1024
"""Of all files of an archive when they are unpacked; a larger one is no log."""
_BROKEN = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError,
    struct.error, zlib.error,
)  # fmt: skip
"""What unpacking raises; pyarrow's errors are among ValueError and OSError."""


def read(path: Path) -> Iterator[OutsideAnswer]:
    """Yield the answers in the order of the log; samples that ended in an error have none.

    A folder must have one log only: each is a run.
    """
    if path.is_dir():
        path = _only_log(path)
    samples = _zipped(path) if zipfile.is_zipfile(path) else _listed(path)
    for row, sample in enumerate(samples, start=1):
        if not (sample.get("error") and _is_empty(mapping(sample.get("output")))):
            yield _answer(path.name, row, sample)


def _only_log(folder: Path) -> Path:
    logs = sorted([*folder.glob("*.eval"), *folder.glob("*.json")])
    if len(logs) != 1:
        raise AnswersUnreadable(folder.name, f"{len(logs)} logs in this folder; name one of them")
    return logs[0]


def _is_empty(output: Mapping[str, Any]) -> bool:
    return not (output.get("choices") or output.get("completion"))


def _zipped(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN as error:
        raise AnswersUnreadable(path.name, str(error)) from error
    with archive:
        if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
            raise AnswersUnreadable(path.name, f"its files unpack to more than {MOST_BYTES} bytes")
        samples = [info for info in archive.infolist() if info.filename.startswith("samples/")]
        if not samples:
            raise AnswersUnreadable(path.name, "the log has no samples")
        for info in samples:
            try:
                content = _content(archive, info)
            except _BROKEN as error:
                raise AnswersUnreadable(path.name, str(error)) from error
            yield json_object(path, content)


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return a file of the archive, of which no more than its declared size is unpacked.

    Inspect compresses with Zstandard, which `zipfile` cannot read.
    """
    if info.compress_type == ZSTANDARD:
        content = _from_zstandard(archive, info)
    elif info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        with archive.open(info) as file:
            content = file.read(info.file_size + 1)
    else:
        raise zipfile.BadZipFile(f"{info.filename} is compressed in a way that logs are not")
    if len(content) != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename} has not the size that the archive says")
    return content


def _from_zstandard(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    import pyarrow as pa  # heavy, and only few logs need it

    if archive.fp is None or info.compress_size > MOST_BYTES:
        raise zipfile.BadZipFile(f"{info.filename} cannot be unpacked")
    archive.fp.seek(info.header_offset + NAME_SIZE_AT)
    name_size, extra_size = struct.unpack("<HH", archive.fp.read(4))
    archive.fp.seek(name_size + extra_size, os.SEEK_CUR)
    packed = pa.BufferReader(archive.fp.read(info.compress_size))
    with pa.CompressedInputStream(packed, "zstd") as file:
        return bytes(file.read(info.file_size + 1))


def _listed(path: Path) -> Iterator[Mapping[str, Any]]:
    samples = json_object(path, path.read_bytes()).get("samples")
    if not isinstance(samples, list) or not samples:
        raise AnswersUnreadable(path.name, "the log has no samples")
    yield from map(mapping, samples)


def _answer(file: str, row: int, sample: Mapping[str, Any]) -> OutsideAnswer:
    output = mapping(sample.get("output"))
    choices = output.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    usage = mapping(output.get("usage"))
    measure, is_right = _measure(mapping(sample.get("scores")))
    return OutsideAnswer(
        file=file,
        row=row,
        uid=str(sample.get("id", "")),
        text=text_of(mapping(choice.get("message")).get("content"))
        or text_of(output.get("completion")),
        question=last_turn(sample.get("input")),
        epoch=epoch_of(sample.get("epoch"), file, row),
        model=str(output.get("model") or ""),
        is_right=is_right,
        measure=measure,
        finish_reason=str(choice.get("stop_reason") or "")[:40],
        prompt_tokens=count(usage.get("input_tokens")),
        completion_tokens=count(usage.get("output_tokens")),
        rotation=rotation_of(mapping(sample.get("metadata")).get("option_rotation"), file, row),
        options=texts_in(sample.get("choices")),
        prompt=last_turn(sample.get("messages")) or last_turn(sample.get("input")),
    )


def _measure(scores: Mapping[str, Any]) -> tuple[str, float | None]:
    """Return the first score; one with several values gives the first of them."""
    for name, score in scores.items():
        value = mapping(score).get("value")
        parts = value if isinstance(value, dict) else {"": value}
        for part, said in parts.items():
            if (read := number(said)) is not None:
                return f"{name},{part}" if part else name, read
    return "", None
