"""Tells from texts in which order an answer's options were shown, as rotations of the release's."""

import re
from collections.abc import Sequence

from evaluation.outside.readers.base import LAST_ROTATION, OutsideAnswer
from languages.folding import fold

ANY_ROTATION = frozenset(range(LAST_ROTATION + 1))
_LABEL = re.compile(r"[\W_]{0,2}\w{1,2}[\W_]{1,3}")
"""What stands before an option in a prompt: “A. ”, “(ཀ) ”."""


def rotations_of(
    answer: OutsideAnswer, question: str, options: Sequence[str]
) -> frozenset[int] | None:
    """Return the rotations of an item's options that the file allows; None if it tells nothing.

    Empty if the options stand in another order, or in another than the rotation that the file says.
    Of a prompt and a list of options, the prompt counts, since it is what the model saw.
    """
    own = tuple(fold(option).strip() for option in options)
    shown = _in_prompt(answer.prompt, question.strip(), own)
    shown = shown or tuple(fold(option).strip() for option in answer.options)
    stated = None if answer.rotation is None else frozenset({answer.rotation})
    if not set(shown) & set(own):
        return stated
    if sure := frozenset(each for each in ANY_ROTATION if _turned(own, each) == shown):
        return sure if stated is None else sure & stated
    if _is_in_place(shown, own, answer.rotation or 0):
        return stated or frozenset({0})
    return frozenset()


def _turned(own: tuple[str, ...], rotation: int) -> tuple[str, ...]:
    start = rotation % len(own)
    return own[start:] + own[:start]


def _is_in_place(shown: Sequence[str], own: tuple[str, ...], rotation: int) -> bool:
    """Say whether the texts that are known stand where they should; others may have been changed."""
    turned = _turned(own, rotation)
    return all(turned[at : at + 1] == (text,) for at, text in enumerate(shown) if text in own)


def _in_prompt(prompt: str, question: str, own: Sequence[str]) -> tuple[str, ...]:
    """Return the folded options `own` in the order of a prompt; empty if that is not sure.

    Each must stand on just one line below the question, with nothing but a label before it.
    """
    lines = prompt.rpartition(question)[2] if question else prompt
    found = [text for line in lines.splitlines() if (text := _option_on(fold(line).strip(), own))]
    return tuple(found) if sorted(found) == sorted(own) else ()


def _option_on(line: str, own: Sequence[str]) -> str:
    fitting = (
        text for text in own
        if text and line.endswith(text) and _LABEL.fullmatch(line.removesuffix(text))
    )  # fmt: skip
    return max(fitting, key=len, default="")
