"""Decides what there is in an answer: text, only reasoning, or nothing that anybody could see."""

import unicodedata

from evaluation.enums import Says
from scoring.scorers.reasoning import strip_reasoning

UNSEEN = frozenset({"Cc", "Cf"})


def said_in(text: str, reasoning: str = "") -> Says:
    """Return what an answer with this text, and this reasoning beside it, says.

    Reasoning within the text is what the methods remove before they read an answer.
    """
    if not is_blank(strip_reasoning(text)):
        return Says.ANSWER
    return Says.NOTHING if is_blank(text) and is_blank(reasoning) else Says.REASONING


def is_blank(text: str) -> bool:
    """Whether a text has nothing but spaces of any kind, line ends and signs without width."""
    return all(sign.isspace() or unicodedata.category(sign) in UNSEEN for sign in text)
