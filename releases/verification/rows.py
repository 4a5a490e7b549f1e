"""Read the rows of a release back from its files, for checking."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.items.revisions import text_hash
from common.csv_cells import restore
from languages.letters import LETTERS, letter_of
from releases.option_orders import as_before

LONGEST_CELL = 2**31 - 1
CHOICE, NUMBER = "choice", "number"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    id: str
    subject: str
    split: str
    level: str
    question: str
    choices: tuple[str, ...]
    key: str
    canary: str
    kind: str = CHOICE
    answer: str = ""
    explanation: str = ""

    def text_hash(self, order: str) -> str:
        """Hash the text as it was reviewed, whose options the release gives in `order`."""
        own = as_before(self.choices, order)
        return text_hash(self.question, own, self.answer, self.explanation)


def files_of(name: str, files: Iterable[str]) -> list[str]:
    """Return those of `files` that hold rows of one format."""
    return [file for file in files if file.startswith(f"{name}/")]


def read_rows(folder: Path, name: str, file: str) -> Iterator[PublishedRow]:
    """Yield each row of a file. Raises ValueError, csv.Error and OSError where it is damaged."""
    return READERS[name](folder.joinpath(*file.split("/")))


def _read_jsonl(path: Path) -> Iterator[PublishedRow]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield _from_columns(json.loads(line))


def _read_parquet(path: Path) -> Iterator[PublishedRow]:
    from pyarrow import ArrowException, parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(1_000):
                yield from map(_from_columns, batch.to_pylist())
    except ArrowException as error:
        raise ValueError(f"{path} is no Parquet file") from error


def _from_columns(row: dict[str, Any]) -> PublishedRow:
    names = ("id", "subject", "split", "level", "question", "canary")
    told = {name: row[name] for name in names}
    key = letter_of(row["answer"]) if row["choices"] else ""
    return PublishedRow(**told, choices=tuple(row["choices"]), **_answered(row, key))


def _answered(row: Mapping[str, str], key: str) -> dict[str, str]:
    """Return kind, key and the texts beside question and options.

    Earlier releases have no references, and what they call explanation is the source's.
    """
    if "reference" not in row:
        return {"key": key}
    kind, reference = row["kind"], row["reference"]
    told = {"kind": kind, "explanation": row["explanation"]}
    if kind == NUMBER:
        return {**told, "key": reference}
    return {**told, "key": key, "answer": "" if kind == CHOICE else reference}


def _read_csv(path: Path) -> Iterator[PublishedRow]:
    """Read a CSV file; an option without text at the end is taken for none, and no release holds such an item."""
    with path.open(encoding="utf-8", newline="") as file:
        csv.field_size_limit(LONGEST_CELL)  # of the process, so each reader sets its own
        for row in csv.DictReader(file):
            cells = {name: restore(cell) for name, cell in row.items()}
            choices = [cells[letter] for letter in LETTERS if letter in cells]
            while choices and not choices[-1]:
                choices.pop()
            names = ("id", "subject", "split", "level", "question", "canary")
            told = {name: cells[name] for name in names} | _answered(cells, cells["key"])
            yield PublishedRow(**told, choices=tuple(choices))


READERS: dict[str, Callable[[Path], Iterator[PublishedRow]]] = {
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
    "csv": _read_csv,
}
