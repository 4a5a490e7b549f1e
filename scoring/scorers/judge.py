"""Judge: what a judge model says of a response to an open-ended item beside its reference.

What is read is not the response but the judge's reply; see `evaluation.judging`.
"""

from typing import Final

from scoring.marks import read_mark
from scoring.scorers.base import Extraction, Reading, Scorer

CORRECT, INCORRECT, NOT_ATTEMPTED = "CORRECT", "INCORRECT", "NOT_ATTEMPTED"
VERDICTS: Final = (CORRECT, INCORRECT, NOT_ATTEMPTED)


def read_verdict(reply: str) -> str:
    """Return the verdict that a judge's reply marks, or "" if it marks none or several."""
    return read_mark(reply, VERDICTS)


def extract(reading: Reading) -> Extraction:
    """Return the verdict of a judge's reply."""
    return extraction_of(read_verdict(reading.text))


def extraction_of(verdict: str) -> Extraction:
    """Return a verdict as what was found; a response that attempts no answer has none."""
    if verdict in {"", NOT_ATTEMPTED}:
        return Extraction(None, failure="no_answer")
    return Extraction(verdict)


SCORER = Scorer("judge", "1", extract, published_name="judge", key_kind="text", reads="verdicts")
