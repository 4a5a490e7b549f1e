"""Reads question–answer pairs from JSONL or a CSV table.

A pair has `question` and `answer`, and optionally `subject`, `id`, `distractors` (a list of proposed
wrong answers, in JSONL only) and `model`, who proposed them.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final

from annotation.making.base import Fault, uid_of

WAY: Final = "distractors"
LONGEST_PAIR: Final = 10_000
LONGEST_ID: Final = 100
_REQUIRED: Final = ("question", "answer")
_TEXTS: Final = (*_REQUIRED, "subject", "id", "model")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with its answer; `line` counts from 1."""

    line: int
    question: str
    answer: str
    subject: str = ""
    id: str = ""
    model: str = ""
    distractors: tuple[str, ...] = ()

    @property
    def uid(self) -> str:
        """The uid of its item: made of its id, or else of question and answer."""
        return f"{WAY}/{self.id}" if self.id else uid_of(WAY, f"{self.question}\n{self.answer}")


def read_pairs(text: str) -> tuple[list[Pair], list[Fault]]:
    """Return the pairs of a file, each once, and the lines that have none."""
    pairs: dict[str, Pair] = {}
    faults: list[Fault] = []
    for line, cells in _rows(text):
        found = _pair(line, cells)
        if isinstance(found, Fault):
            faults.append(found)
        elif found.uid in pairs:
            faults.append(Fault("same_pair", line, {"line": pairs[found.uid].line}))
        else:
            pairs[found.uid] = found
    return [*pairs.values()], faults


def _rows(text: str) -> Iterator[tuple[int, object]]:
    """Yield the rows that are not empty, with their lines; a file that begins with “{” is JSONL."""
    if text.lstrip().startswith(("{", "[")):
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                yield line, _decoded(row)
        return
    csv.field_size_limit(LONGEST_PAIR * 2)  # of the process, so each reader sets its own
    rows = csv.DictReader(StringIO(text, newline=""), restval="")
    try:
        for cells in rows:
            yield rows.line_num, {name: cells[name] for name in _TEXTS if name in cells}
    except csv.Error:
        yield rows.line_num, None


def _decoded(row: str) -> object:
    try:
        return json.loads(row)
    except (ValueError, RecursionError):
        return None


def _pair(line: int, cells: object) -> Pair | Fault:
    if not isinstance(cells, Mapping) or (texts := _texts(cells)) is None:
        return Fault("no_pair", line)
    proposed = cells.get("distractors", [])
    if not isinstance(proposed, list) or not all(isinstance(each, str) for each in proposed):
        return Fault("no_pair", line)
    if sum(map(len, (*texts.values(), *proposed))) > LONGEST_PAIR:
        return Fault("pair_too_long", line, {"most": LONGEST_PAIR})
    if len(texts["id"]) > LONGEST_ID or not texts["id"].isprintable():
        return Fault("bad_id", line, {"most": LONGEST_ID})
    return Pair(line=line, distractors=_without_nul(proposed), **texts)


def _texts(cells: Mapping[Any, Any]) -> dict[str, str] | None:
    """Return the texts of a row, None if one is missing or of another kind; an id may be a number."""
    values = {name: cells.get(name, "") for name in _TEXTS}
    if isinstance(values["id"], int) and not isinstance(values["id"], bool):
        values["id"] = str(values["id"])
    if not all(isinstance(value, str) for value in values.values()):
        return None
    texts = dict(zip(values, _without_nul([*values.values()]), strict=True))
    return texts if all(texts[name] for name in _REQUIRED) else None


def _without_nul(texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts as a database can store them: without NUL, half characters and outer white space."""
    return tuple(
        text.encode("utf-8", "ignore").decode().replace("\0", "").strip() for text in texts
    )
