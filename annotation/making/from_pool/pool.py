"""Reads a pool of prompts: one a line as text, JSONL, or a CSV table.

A prompt has `prompt`, and optionally `id` and `subject`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from annotation.making.base import Fault, uid_of
from annotation.making.rows import (
    BYTE_ORDER_MARK,
    LONGEST_ROW,
    fault_in,
    headings_in,
    read_csv,
    read_jsonl,
    table_of,
    texts_in,
)

WAY: Final = "arena-prompts"
MOST_PROMPTS: Final = 10_000
_COLUMNS: Final = ("prompt", "subject", "id")
_JSON: Final = ("{", "[{", "[\n", "[\r")


@dataclass(frozen=True, slots=True)
class PoolPrompt:
    """A prompt as it stands in its pool; `line` counts from 1."""

    line: int
    prompt: str
    subject: str = ""
    id: str = ""

    @property
    def uid(self) -> str:
        """The uid of its item: made of its id, or else of its text."""
        return f"{WAY}/{self.id}" if self.id else uid_of(WAY, self.prompt)


def read_pool(text: str) -> tuple[list[PoolPrompt], list[Fault]]:
    """Return the prompts of a pool, each once, and the lines that have none or are left out."""
    prompts: dict[str, PoolPrompt] = {}
    faults: list[Fault] = []
    for line, cells in _rows(text):
        found = _prompt(line, cells)
        if isinstance(found, Fault):
            faults.append(found)
        elif found.uid in prompts:
            faults.append(Fault("same_prompt", line, {"line": prompts[found.uid].line}))
        elif len(prompts) == MOST_PROMPTS:
            faults.append(Fault("pool_too_large", line, {"most": MOST_PROMPTS}))
            break
        else:
            prompts[found.uid] = found
    return [*prompts.values()], faults


def _rows(text: str) -> Iterator[tuple[int, object]]:
    """Yield the rows that are not empty, with their lines.

    A file that begins with “{” is JSONL, one whose first line names the column `prompt` is CSV.
    """
    plain = text.removeprefix(BYTE_ORDER_MARK)
    first = plain.partition("\n")[0][:LONGEST_ROW]
    if plain.lstrip().startswith(_JSON):
        yield from read_jsonl(plain)
    elif "prompt" in headings_in(table_of(first)):
        yield from read_csv(plain, _COLUMNS)
    else:
        for line, words in enumerate(plain.split("\n"), start=1):
            if words.strip():
                yield line, {"prompt": words}


def _prompt(line: int, cells: object) -> PoolPrompt | Fault:
    texts = texts_in(cells, _COLUMNS) if isinstance(cells, Mapping) else None
    if not texts or not texts["prompt"]:
        return Fault("no_prompt", line)
    if sum(map(len, texts.values())) > LONGEST_ROW:
        return Fault("prompt_too_long", line, {"most": LONGEST_ROW})
    return fault_in(texts, line) or PoolPrompt(line, **texts)
