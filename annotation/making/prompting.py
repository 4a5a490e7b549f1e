"""Asks a model for wrong answers to a question, and reads its proposals."""

import json
from collections.abc import Callable
from typing import Final

from annotation.asking.answers import Unusable, read_object
from annotation.asking.plans import Prompt
from annotation.making.distractors import WRONG_COUNT, chosen_of
from endpoints.providers.base import Message
from languages.option_labels import without_labels

DISTRACTORS_FRAME: Final = (
    "Write three wrong answers to this question, for a multiple-choice item. An expert must call each "
    "of them wrong, and somebody who does not know the subject must find it as likely as the right "
    "answer. Write them in the language of the right answer, in its form and of like length.\n\n{item}"
)
"""The built-in words of the prompt."""
LONGEST_PROPOSAL: Final = 2_000
MOST_PROPOSALS: Final = 20


def ask_for_wrong(frame: str, *, question: str, answer: str) -> Prompt:
    """Return the prompt about one pair."""
    pair = json.dumps({"question": question, "answer": answer}, ensure_ascii=False)
    example = json.dumps({"distractors": ["…"] * WRONG_COUNT}, ensure_ascii=False)
    order = f"Reply with one JSON object of this shape only: {example}"
    return Prompt((Message("user", f"{frame.format(item=f'The pair: {pair}')}\n\n{order}"),))


def reader_of(answer: str) -> Callable[[str], list[str]]:
    """Return the function that reads the replies about one pair, in their order.

    It keeps what can be used of earlier replies, and raises Unusable until three wrong answers are there.
    """
    found: list[str] = []

    def read(reply: str) -> list[str]:
        found.extend(_proposals(reply))
        chosen = chosen_of(answer, found)
        if len(chosen) < WRONG_COUNT:
            raise Unusable("too_few_wrong", {"count": len(chosen), "needed": WRONG_COUNT})
        return chosen

    return read


def _proposals(reply: str) -> list[str]:
    values = read_object(reply).get("distractors")
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise Unusable("distractors")
    texts = without_labels(
        [text.encode("utf-8", "ignore").decode().replace("\0", "") for text in values]
    )
    return [text for text in texts[:MOST_PROPOSALS] if len(text) <= LONGEST_PROPOSAL]
