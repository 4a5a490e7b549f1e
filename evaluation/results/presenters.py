"""What pages show of responses: the answer that each method extracts, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from endpoints.actions import may_quote
from evaluation.models import ModelResponse, Score
from evaluation.results.labels import METHODS, method_texts, reason_text
from evaluation.results.queries.responses import Reading
from scoring.scorers import SCORERS

AROUND = 40
"""How many characters are shown on either side of what a method read."""


@dataclass(frozen=True, slots=True)
class ReadPlace:
    """Where in the text without reasoning a method read its answer, with what stands around it."""

    start: int
    end: int
    before: str
    marked: str
    after: str


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
    place: ReadPlace | None


def shown_readings(reading: Reading, key: str, *, is_published: bool) -> list[ShownReading]:
    return [
        ShownReading(
            method=scored.method,
            label=method_texts(scored.method, is_published=is_published).label,
            version=SCORERS[scored.method].version,
            rule=METHODS[scored.method].rule,
            answer=scored.extraction.answer,
            is_correct=scored.outcome == "correct",
            reason=reason_text(scored, key),
            place=_place(reading.read_text, scored.extraction.span),
        )
        for scored in reading.scores
    ]


def _place(text: str, span: tuple[int, int] | None) -> ReadPlace | None:
    if span is None:
        return None
    start, end = span
    return ReadPlace(
        start=start,
        end=end,
        before=text[max(0, start - AROUND) : start],
        marked=text[start:end],
        after=text[end : end + AROUND],
    )


def quoted_body(response: ModelResponse) -> str:
    """Return the beginning of what the endpoint sent, if this endpoint may be quoted."""
    return response.body if may_quote(response.run.model_spec.endpoint) else ""


def scores_by_method(
    response: ModelResponse, methods: Sequence[str]
) -> list[tuple[str | Promise, Score | None]]:
    """The short label of each method with its score; None if it has not scored the response.

    `response` must come from `responses_of`, which adds `shown_scores`.
    """
    shown: list[Score] = response.shown_scores  # type: ignore[attr-defined]
    scores = {score.method: score for score in shown}
    return [(METHODS[name].short, scores.get(name)) for name in methods]
