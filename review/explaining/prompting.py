"""Asks a model for the answer to an item with an explanation, without the key, and reads its answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from annotation.asking.answers import Unusable, read_object
from annotation.asking.plans import Prompt
from endpoints.providers.base import Message
from languages.letters import letters_of

TASK: Final = "explanations"
FRAME: Final = (
    "Answer this item, and explain in two to four sentences why that option is right and the others are "
    "not. Write the explanation in the language of the question.\n\n{item}"
)
"""The built-in words of the prompt."""
LONGEST: Final = 4_000


@dataclass(frozen=True, slots=True)
class Explained:
    """The letter that a model chose, and why."""

    answer: str
    explanation: str


def ask_to_explain(frame: str, *, question: str, options: Sequence[str]) -> Prompt:
    """Return the prompt about one item. It has no key."""
    letters = letters_of(len(options))
    parts = {"question": question, "options": dict(zip(letters, options, strict=True))}
    shown = f"The item: {json.dumps(parts, ensure_ascii=False)}"
    example = json.dumps({"answer": "A", "explanation": "…"}, ensure_ascii=False)
    order = f"Reply with one JSON object of this shape only: {example}"
    return Prompt((Message("user", f"{frame.format(item=shown)}\n\n{order}"),))


def read_explained(reply: str, *, option_count: int) -> Explained:
    """Return what a model answered. Raises Unusable."""
    found = read_object(reply)
    letter, text = found.get("answer"), found.get("explanation")
    if not isinstance(letter, str) or letter.strip().upper() not in letters_of(option_count):
        raise Unusable("answer_letter")
    clean = (
        text.encode("utf-8", "ignore").decode().replace("\0", "") if isinstance(text, str) else ""
    )
    if not 0 < len(clean.strip()) <= LONGEST:
        raise Unusable("explanation", {"most": LONGEST})
    return Explained(letter.strip().upper(), clean.strip())
