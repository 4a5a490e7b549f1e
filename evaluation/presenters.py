"""What pages show of responses: the answer that each method extracts, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from evaluation.labels import METHODS, reason_text
from evaluation.models import ModelResponse, Score
from evaluation.queries.responses import Reading
from evaluation.scorers import SCORERS


@dataclass(frozen=True, slots=True)
class ShownReading:
    """One method's reading of a response; `answer` is None if it found none."""

    method: str
    label: str | Promise
    version: str
    rule: str | Promise
    answer: str | None
    is_correct: bool
    reason: str


def shown_readings(reading: Reading, key: str) -> list[ShownReading]:
    return [
        ShownReading(
            method=scored.method,
            label=METHODS[scored.method].label,
            version=SCORERS[scored.method].version,
            rule=METHODS[scored.method].rule,
            answer=scored.extraction.answer,
            is_correct=scored.outcome == "correct",
            reason=reason_text(scored, key),
        )
        for scored in reading.scores
    ]


def scores_by_method(
    response: ModelResponse, methods: Sequence[str]
) -> list[tuple[str | Promise, Score | None]]:
    """The short label of each method with its score; None if it has not scored the response.

    `response` must come from `responses_of`, which adds `shown_scores`.
    """
    shown: list[Score] = response.shown_scores  # type: ignore[attr-defined]
    scores = {score.method: score for score in shown}
    return [(METHODS[name].short, scores.get(name)) for name in methods]
