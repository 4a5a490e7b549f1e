"""The five verdicts of a battle, and how they are read from what a judge writes.

A verdict names the sides as the judge saw them: A is the answer that stood first. A score is the
verdict in the eyes of one contestant, from 2 (much better) to -2 (much worse).
"""

from collections.abc import Mapping
from typing import Final

from scoring.marks import read_mark

VERDICTS: Final[Mapping[str, int]] = {"A>>B": 2, "A>B": 1, "A=B": 0, "B>A": -1, "B>>A": -2}
"""The verdicts, with their score for A."""


def read_verdict(text: str) -> str:
    """Return the verdict that `text` marks as [[A>B]], or "" if it marks none or several."""
    return read_mark(text, VERDICTS)


def score_for_first(verdict: str, *, is_swapped: bool) -> int:
    """Return the score of the battle's first contestant, who was B if the sides were swapped."""
    return -VERDICTS[verdict] if is_swapped else VERDICTS[verdict]
