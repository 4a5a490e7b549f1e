"""Finds files of model responses, divides them into chunks and reads their JSON lines."""

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BOM = b"\xef\xbb\xbf"
CHUNK_BYTES = 2 * 1024 * 1024
MAX_ROW_BYTES = 16 * 1024 * 1024
MAX_INDEX_DIGITS = 20
SUFFIX = "_out.jsonl"
_LOC = re.compile(r"\A(?P<subject>.*?)_?(?P<index>\d{1,18})")
_DIGITS = "0123456789"
_JSON_SPACE = " \t\n\r"
# The C scanner behind `json.loads`, whose own checks take longer than parsing a row.
_scan_json: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


class ResponseFileError(Exception):
    """A file of responses or categories is not valid.

    code: stable name of the reason
    file, row: the place; rows are counted from 1
    params: values for the message
    """

    def __init__(self, code: str, file: Path, row: int | None = None, **params: object) -> None:
        self.code, self.file, self.row, self.params = code, file, row, params
        super().__init__(code, str(file), row, params)

    def __reduce__(self) -> tuple[Any, ...]:
        """Support passing the error from one process to another."""
        return _error, (self.code, self.file, self.row, self.params)


def _error(
    code: str, file: Path, row: int | None, params: dict[str, object]
) -> "ResponseFileError":
    return ResponseFileError(code, file, row, **params)


@dataclass(frozen=True, slots=True)
class ResponseFile:
    """A JSONL file; `subject` is None if the name of the file contains none."""

    path: Path
    subject: str | None
    model: str


class Chunk(NamedTuple):
    """A piece of a file: `size` bytes from `start`, beginning with row `first_row`."""

    file: ResponseFile
    start: int
    size: int
    first_row: int


def find_response_files(path: Path) -> list[ResponseFile]:
    """Return the file itself, or the `<subject>_<model>_out.jsonl` files of a TLUE folder by name.

    The subject of a file is the one that its first row names (`subject` or `loc`) if the file's
    name begins with it. Otherwise the model is the folder's name (`<model>` or `<model>_out`) if
    the file's name ends with it, or the part after the last underscore, as in TLUE. A single file
    whose name does not begin with the subject of its first row contains many subjects. Other file
    types in the folder are ignored. Raises ResponseFileError: not_found, empty_folder, bad_name,
    several_models, or an error of a first row.
    """
    if path.is_dir():
        return _folder_files(path)
    if not path.is_file():
        raise ResponseFileError("not_found", path)
    if _has_published_name(path) and _agrees_with_first_row(path):
        return [_named_file(path)]
    return [ResponseFile(path, None, path.stem)]


def chunks_of(file: ResponseFile) -> Iterator[Chunk]:
    """Divide the file into chunks of about CHUNK_BYTES that end at the end of a line."""
    block = bytearray(CHUNK_BYTES)
    with file.path.open("rb") as lines:
        start, row = 0, 1
        while size := lines.readinto(block):
            line_ends = _line_ends(memoryview(block)[:size])
            rest = lines.readline(MAX_ROW_BYTES + 1)
            yield Chunk(file, start, size + len(rest), row)
            start += size + len(rest)
            row += line_ends + rest.endswith(b"\n")


def _line_ends(block: memoryview) -> int:
    """Count the line ends, with NumPy because it is ten times as fast as `bytes.count`."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))


def records_of(chunk: Chunk) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the JSON object of each row of a chunk, skipping blank lines.

    Raises ResponseFileError: wrong_encoding, row_too_long, bad_json, not_an_object.
    """
    path = chunk.file.path
    with path.open("rb") as file:
        file.seek(chunk.start)
        lines = io.BytesIO(file.read(chunk.size))
    for number, line in enumerate(lines, chunk.first_row):
        if len(line) > MAX_ROW_BYTES:
            raise ResponseFileError("row_too_long", path, number, limit=MAX_ROW_BYTES)
        text = line.removeprefix(BOM) if number == 1 else line
        if text and not text.isspace():
            yield number, _record(path, number, text)


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = _json_value(line.decode())
    except UnicodeDecodeError as error:
        raise ResponseFileError("wrong_encoding", path, number) from error
    except (ValueError, RecursionError) as error:
        raise ResponseFileError("bad_json", path, number, reason=str(error)) from error
    if not isinstance(record, dict):
        raise ResponseFileError("not_an_object", path, number)
    return record


def _json_value(text: str) -> Any:
    """Return and raise what `json.loads` does."""
    try:
        value, end = _scan_json(text, 0)
    except (StopIteration, ValueError):
        return json.loads(text)
    return json.loads(text) if text[end:].strip(_JSON_SPACE) else value


def subject_of_loc(loc: object) -> str | None:
    """Return the subject in a `loc` of TLUE, which is a subject and an index, or None."""
    if isinstance(loc, str) and loc.isascii() and loc.isprintable():  # usual; needs no regex
        subject = loc.rstrip(_DIGITS)
        return subject.removesuffix("_") or None if subject != loc else None
    match = _LOC.fullmatch(loc) if isinstance(loc, str) else None
    return (match["subject"] or None) if match else None


def _folder_files(folder: Path) -> list[ResponseFile]:
    paths = sorted(path for path in folder.glob("*.jsonl") if not path.name.startswith("."))
    if not paths:
        raise ResponseFileError("empty_folder", folder)
    for path in paths:
        if not _has_published_name(path):
            raise ResponseFileError("bad_name", path, pattern=f"<subject>_<model>{SUFFIX}")
    files = [_named_file(path) for path in paths]
    models = sorted({file.model for file in files})
    if len(models) > 1:
        raise ResponseFileError("several_models", folder, models=", ".join(models))
    return files


def _has_published_name(path: Path) -> bool:
    subject, separator, model = path.name.removesuffix(SUFFIX).rpartition("_")
    return path.name.endswith(SUFFIX) and bool(subject and separator and model)


def _agrees_with_first_row(path: Path) -> bool:
    named = _first_subjects(path)
    return not named or any(path.name.startswith(f"{subject}_") for subject in named)


def _named_file(path: Path) -> ResponseFile:
    stem = path.name.removesuffix(SUFFIX)
    folder_model = path.parent.name.removesuffix("_out")
    for named in _first_subjects(path):
        if stem.startswith(f"{named}_") and len(stem) > len(named) + 1:
            return ResponseFile(path, named, stem[len(named) + 1 :])
    if folder_model and stem.endswith(f"_{folder_model}") and len(stem) > len(folder_model) + 1:
        return ResponseFile(path, stem.removesuffix(f"_{folder_model}"), folder_model)
    subject, _, model = stem.rpartition("_")
    return ResponseFile(path, subject, model)


def _first_subjects(path: Path) -> tuple[str, ...]:
    """Return the subjects that the first row may have: its `subject`, or the beginnings of `loc`.

    A subject can itself end in digits, so only the name of the file shows where the index begins.
    """
    for chunk in chunks_of(ResponseFile(path, None, "")):
        for _, record in records_of(chunk):
            subject = record.get("subject")
            if isinstance(subject, str):
                return (subject,)
            return _subjects_of_loc(record.get("loc"))
    raise ResponseFileError("empty_file", path)


def _subjects_of_loc(loc: object) -> tuple[str, ...]:
    shortest = subject_of_loc(loc)
    if shortest is None or not isinstance(loc, str):
        return ()
    ends = range(len(shortest) + 1, min(len(loc), len(shortest) + MAX_INDEX_DIGITS))
    longer = (loc[:end].removesuffix("_") for end in ends)
    return tuple(dict.fromkeys((shortest, *longer)))
