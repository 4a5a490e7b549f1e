"""The five verdicts of a battle, and how they are read from what a judge writes.

A verdict names the sides as the judge saw them: A is the answer that stood first. A score is the
verdict in the eyes of one contestant, from 2 (much better) to -2 (much worse).
"""

import re
from collections.abc import Mapping
from typing import Final

VERDICTS: Final[Mapping[str, int]] = {"A>>B": 2, "A>B": 1, "A=B": 0, "B>A": -1, "B>>A": -2}
"""The verdicts, with their score for A."""

UNREADABLE: Final = ""
MARKED = re.compile(r"\[\[([^\[\]]*)\]\]")


def read_verdict(text: str) -> str:
    """Return the verdict that `text` marks as [[A>B]], or UNREADABLE.

    Strict: a mark that is no verdict, or two that differ, cannot be read. The same verdict twice
    can.
    """
    marks = set(MARKED.findall(text))
    verdict = marks.pop() if len(marks) == 1 else UNREADABLE
    return verdict if verdict in VERDICTS else UNREADABLE


def score_for_first(verdict: str, *, is_swapped: bool) -> int:
    """Return the score of the battle's first contestant, who was B if the sides were swapped."""
    return -VERDICTS[verdict] if is_swapped else VERDICTS[verdict]
