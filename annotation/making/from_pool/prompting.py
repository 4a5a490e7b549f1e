"""Asks a model how good a prompt is for an arena, and reads its scores."""

import json
from dataclasses import dataclass
from typing import Final

from annotation.asking.answers import Unusable, read_object
from annotation.asking.plans import Prompt
from endpoints.providers.base import Message

SCORES_FRAME: Final = (
    "Score a prompt that people may send to assistants, for a benchmark in which answers are compared "
    "in pairs. Do not answer it.\n"
    "- specificity: does it ask for something particular, with its context and conditions?\n"
    "- clarity: is it understood in one way, without a missing text, picture or earlier turn?\n"
    "- depth: does a good answer need knowledge of the subject and several steps of thought?\n"
    "Give each a whole number from 1 (poor) to 5 (excellent).\n\n{item}"
)
"""The built-in words of the prompt."""
LOWEST: Final = 1
HIGHEST: Final = 5


@dataclass(frozen=True, slots=True)
class Scores:
    """How good a prompt is for an arena, each from 1 to 5."""

    specificity: int
    clarity: int
    depth: int


def ask_for_scores(frame: str, *, text: str) -> Prompt:
    """Return the prompt about one prompt of a pool."""
    pooled = json.dumps({"prompt": text}, ensure_ascii=False)
    example = json.dumps(dict.fromkeys(Scores.__slots__, "…"), ensure_ascii=False)
    order = f"Reply with one JSON object of this shape only: {example}"
    return Prompt((Message("user", f"{frame.format(item=f'The prompt: {pooled}')}\n\n{order}"),))


def read_scores(reply: str) -> Scores:
    """Return the scores of a reply. Raises Unusable unless each is a whole number from 1 to 5."""
    found = read_object(reply)
    values = {name: found.get(name) for name in Scores.__slots__}
    for name, value in values.items():
        if type(value) is not int or not LOWEST <= value <= HIGHEST:
            raise Unusable("prompt_score", {"field": name, "low": LOWEST, "high": HIGHEST})
    return Scores(**values)  # type: ignore[arg-type]
