"""Reads a CSV table with the columns `id` and `answer`, and perhaps `epoch` and `model`.

The columns `prompt` and `options` (a JSON list; or a column for each letter) tell what was shown.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluation.outside.readers.base import (
    LAST_EPOCH,
    AnswersUnreadable,
    OutsideAnswer,
    epoch_of,
    texts_in,
)
from languages.letters import LETTERS

LONGEST_CELL = 16_000_000
IDS = ("id", "uid")
OPTIONS = ("options", "choices")
ANSWERS = ("answer", "response", "text")


def read(path: Path) -> Iterator[OutsideAnswer]:
    """Yield the answers in the order of the table."""
    try:
        csv.field_size_limit(LONGEST_CELL)  # of the process, so each reader sets its own
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _rows(path.name, csv.DictReader(file))
    except UnicodeDecodeError as error:
        raise AnswersUnreadable(path.name, "not UTF-8") from error
    except csv.Error as error:
        raise AnswersUnreadable(path.name, str(error)) from error


def _rows(file: str, table: "csv.DictReader[str]") -> Iterator[OutsideAnswer]:
    columns = {name.strip().casefold(): name for name in table.fieldnames or () if name}
    uid = next((columns[name] for name in IDS if name in columns), None)
    answer = next((columns[name] for name in ANSWERS if name in columns), None)
    if uid is None or answer is None:
        raise AnswersUnreadable(file, "the columns id and answer are missing")
    epoch, model = columns.get("epoch"), columns.get("model")
    for cells in table:
        said = (cells[epoch] or "1").strip() if epoch else "1"
        is_number = said.isascii() and said.isdigit() and len(said) <= len(str(LAST_EPOCH))
        yield OutsideAnswer(
            file=file,
            row=table.line_num,
            uid=(cells[uid] or "").strip(),
            text=cells[answer] or "",
            epoch=epoch_of(int(said) if is_number else said, file, table.line_num),
            model=(cells[model] or "").strip() if model else "",
            options=_options({name: cells[column] or "" for name, column in columns.items()}),
            prompt=(cells[columns["prompt"]] or "") if "prompt" in columns else "",
        )


def _options(cells: Mapping[str, str]) -> tuple[str, ...]:
    """Return the options of a row, whose cells are given by the folded names of the columns."""
    try:
        listed = texts_in(
            json.loads(next((cells[name] for name in OPTIONS if name in cells), "[]"))
        )
    except (ValueError, RecursionError):
        listed = ()
    named = (cells.get(letter.casefold(), "") for letter in LETTERS)
    return listed or tuple(text for text in named if text)
