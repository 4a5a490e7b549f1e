"""Reads question–answer pairs from JSONL or a CSV table.

A pair has `question` and `answer`, and optionally `subject`, `id`, `distractors` (a list of proposed
wrong answers, in JSONL only) and `model`, who proposed them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotation.making.base import Fault, uid_of
from annotation.making.rows import (
    BYTE_ORDER_MARK,
    LONGEST_ROW,
    fault_in,
    read_csv,
    read_jsonl,
    texts_in,
    without_nul,
)

WAY: Final = "distractors"
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
    plain = text.removeprefix(BYTE_ORDER_MARK)
    is_json = plain.lstrip().startswith(("{", "["))
    return read_jsonl(plain) if is_json else read_csv(plain, _TEXTS)


def _pair(line: int, cells: object) -> Pair | Fault:
    if not isinstance(cells, Mapping) or (texts := _texts(cells)) is None:
        return Fault("no_pair", line)
    proposed = cells.get("distractors", [])
    if not isinstance(proposed, list) or not all(isinstance(each, str) for each in proposed):
        return Fault("no_pair", line)
    if sum(map(len, (*texts.values(), *proposed))) > LONGEST_ROW:
        return Fault("pair_too_long", line, {"most": LONGEST_ROW})
    proposals = without_nul(proposed)
    return fault_in(texts, line) or Pair(line=line, distractors=proposals, **texts)


def _texts(cells: Mapping[Any, Any]) -> dict[str, str] | None:
    """Return the texts of a row, None if one is missing or of another kind."""
    texts = texts_in(cells, _TEXTS)
    return texts if texts and all(texts[name] for name in _REQUIRED) else None
