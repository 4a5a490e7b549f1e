"""Writes scores: each method's reading of each stored response, by key, at no cost."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from common.jobs import Progress
from evaluation.asking import score_one, scorers_of, script_letters
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.scorers import SCORERS
from evaluation.scorers.batch import ScoredExtraction

BATCH = 500


def score_missing(*, run: Run, progress: Progress | None = None) -> int:
    """Score every answer of `run` that one of its methods has not read in its present version.

    Asks no endpoint. Keyed by (response, method, version): running it again changes nothing, and
    a new version of a scorer adds its scores beside the old ones. Returns how many were read.
    """
    pks = list(unscored(run).values_list("pk", flat=True))
    for some in _batched(pks, BATCH):
        score_rows(run, with_texts(ModelResponse.objects.filter(pk__in=some)))
        if progress is not None:
            progress.check()
    return len(pks)


def unscored(run: Run) -> QuerySet[ModelResponse]:
    """The answers of `run` that lack the score of one of its methods in its present version."""
    lacks = Q()
    for scorer in scorers_of(run):
        there = Score.objects.filter(
            response=OuterRef("pk"), method=scorer.name, version=int(scorer.version)
        )
        lacks |= ~Q(Exists(there))
    return ModelResponse.objects.filter(lacks, run=run, state=ResponseState.ANSWERED)


def with_texts(rows: QuerySet[ModelResponse]) -> QuerySet[ModelResponse]:
    """With the item and the text that was asked, which scorers need."""
    return rows.select_related("release_item__item", "release_item__revision")


def score_rows(run: Run, responses: Iterable[ModelResponse]) -> None:
    """Store what each method of `run` reads in `responses`; what is there already stays."""
    scorers = scorers_of(run)
    script = script_letters(run)
    scores = [
        Score(
            response=response, run=run, method=scored.method,
            version=int(SCORERS[scored.method].version), **_reading(scored),
        )
        for response in responses
        for scored in score_one(response, scorers, script)
    ]  # fmt: skip
    Score.objects.bulk_create(scores, batch_size=BATCH, ignore_conflicts=True)


def _reading(scored: ScoredExtraction) -> dict[str, Any]:
    is_correct = scored.outcome == "correct"
    return {
        "letter": scored.extraction.answer or "",
        "is_valid": scored.extraction.is_valid,
        "is_correct": is_correct,
        "error_kind": "" if is_correct else scored.outcome,
    }


def _batched(values: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
