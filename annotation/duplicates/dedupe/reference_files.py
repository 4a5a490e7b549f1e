"""Reads reference texts: plain text, JSON lines, CSV and Parquet, each also gzipped, or a folder of them."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

SUFFIXES: Final = frozenset({".txt", ".md", ".jsonl", ".json", ".csv", ".tsv", ".parquet"})
BATCH: Final = 1024
LONGEST_CELL: Final = 16_000_000
LINES_TOGETHER: Final = 200
"""Lines of a plain text that are looked at as one, so that a sentence may cross lines."""
SHARED_LINES: Final = 20


class ReferenceUnreadable(ValueError):
    """A file of reference texts cannot be read; the message says which and why."""


def reference_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (place, text) of every text in a file or folder. Raises ReferenceUnreadable.

    A row of a table is one text: all its text cells. A plain text is read in pieces of
    `LINES_TOGETHER` lines.
    """
    files = sorted(file for file in path.rglob("*") if _kind(file)) if path.is_dir() else [path]
    if not files or not all(_kind(file) for file in files):
        known = ", ".join(sorted(SUFFIXES))
        raise ReferenceUnreadable(f"{path.name} holds none of the kinds {known}")
    for file in files:
        try:
            yield from _read(file)
        except (OSError, ValueError, RecursionError, csv.Error) as error:
            raise ReferenceUnreadable(f"{file.name}: {error}") from error


def _kind(file: Path) -> str:
    suffix = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    return suffix.lower() if suffix.lower() in SUFFIXES else ""


def _read(file: Path) -> Iterator[tuple[str, str]]:
    kind = _kind(file)
    if kind == ".parquet":
        yield from _parquet(file)
        return
    with _open(file) as lines:
        if kind == ".jsonl":
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"{file.name}:{number}", " ".join(_texts(json.loads(line)))
        elif kind == ".json":
            yield from _json(file, json.load(lines))
        elif kind in {".csv", ".tsv"}:
            csv.field_size_limit(LONGEST_CELL)  # of the process, so each reader sets its own
            table = csv.reader(lines, delimiter="\t" if kind == ".tsv" else ",")
            for cells in table:
                yield f"{file.name}:{table.line_num}", " ".join(cells)
        else:
            yield from _plain(file, lines)


def _open(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(file), encoding="utf-8-sig", errors="replace")
    return file.open(encoding="utf-8-sig", errors="replace", newline="")


def _plain(file: Path, lines: IO[str]) -> Iterator[tuple[str, str]]:
    """Yield pieces that share their last lines with the next, so that nothing falls between two."""
    kept: list[str] = []
    number = 0
    for number, line in enumerate(lines, start=1):
        kept.append(line)
        if len(kept) == LINES_TOGETHER:
            yield f"{file.name}:{number - len(kept) + 1}", "".join(kept)
            kept = kept[-SHARED_LINES:]
    if kept:
        yield f"{file.name}:{number - len(kept) + 1}", "".join(kept)


def _json(file: Path, value: object) -> Iterator[tuple[str, str]]:
    rows = value if isinstance(value, list) else [value]
    for number, row in enumerate(rows, start=1):
        yield f"{file.name}[{number}]", " ".join(_texts(row))


def _parquet(file: Path) -> Iterator[tuple[str, str]]:
    import pyarrow.parquet as pq  # heavy, and only few files need it

    number = 0
    for batch in pq.ParquetFile(file).iter_batches(BATCH):
        for row in batch.to_pylist():
            number += 1
            yield f"{file.name}[{number}]", " ".join(_texts(row))


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
