"""The responses of a run, filtered by their scores, and how each method reads a response."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet
from django.db.models.functions import Substr

from endpoints.providers.base import Message
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.prompts import render
from evaluation.queries.differences import differing_scores
from evaluation.queries.results import run_counts
from evaluation.queries.runs import lasting_failures, shots_of
from evaluation.request_building import (
    prompt_item,
    score_one,
    scorers_of,
    script_letters,
    template_of,
)
from evaluation.scorers import SCORERS
from evaluation.scorers.batch import ScoredExtraction
from evaluation.scorers.reasoning import answer_text

EXCERPT = 200
RIGHT, WRONG, NONE, SEVERAL, REPEATER, FAILED = (
    "right", "wrong", "none", "several", "repeater", "failed",
)  # fmt: skip
KINDS = (RIGHT, WRONG, NONE, SEVERAL, REPEATER, FAILED)
ERROR_KINDS = {
    RIGHT: "",
    WRONG: "knowledge_error",
    NONE: "no_answer",
    SEVERAL: "several_answers",
    REPEATER: "repeater",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """The prompt of a response, its text and its scores.

    messages: the prompt that was sent, built again from the parts of the run
    read_text: the response without reasoning, which is what scorers read
    scores: the score by each method of the run in its current version, the headline method first;
        empty for a failed response
    """

    messages: tuple[Message, ...]
    read_text: str
    scores: tuple[ScoredExtraction, ...]


@dataclass(frozen=True, slots=True)
class ResponseFilter:
    """Which responses of a run to list, by their scores.

    method: whose scores to filter by
    kind: one of KINDS, or empty for all
    differs: list only responses in which this method found something else, or empty
    """

    method: str
    kind: str = ""
    differs: str = ""


def responses_of(run: Run, wanted: ResponseFilter) -> QuerySet[ModelResponse]:
    """Return the responses of `run` that match the filter, for a list.

    Each has `excerpt`, the beginning of its text, and `shown_scores`, its scores by `method` and
    `differs` in the versions that the run's figures use. The number of queries does not depend on
    the number of responses.
    """
    versions = _versions(run)
    compared = Q(method=wanted.method, version=versions[wanted.method])
    if wanted.differs:
        compared |= Q(method=wanted.differs, version=versions[wanted.differs])
    shown_scores = Score.objects.filter(compared)
    return (
        filtered_responses(run, wanted, versions)
        .select_related("release_item__subject")
        .defer(
            "text",
            "release_item__source_question",
            "release_item__source_options",
            "release_item__source_answer",
            "release_item__explanation",
            "release_item__provenance",
        )
        .annotate(excerpt=Substr("text", 1, EXCERPT))
        .prefetch_related(Prefetch("scores", queryset=shown_scores, to_attr="shown_scores"))
    )


def filtered_responses(
    run: Run, wanted: ResponseFilter, versions: Mapping[str, int] | None = None
) -> QuerySet[ModelResponse]:
    """Return the rows of `responses_of` without the additions for a list."""
    rows = lasting_failures(run) if wanted.kind == FAILED else ModelResponse.objects.filter(run=run)
    if not (wanted.kind or wanted.differs):
        return rows
    versions = versions or _versions(run)
    if wanted.kind in ERROR_KINDS:
        rows = rows.filter(
            scores__method=wanted.method,
            scores__version=versions[wanted.method],
            scores__error_kind=ERROR_KINDS[wanted.kind],
        )
    if wanted.differs:
        differing = differing_scores(run, wanted.method, wanted.differs, versions)
        rows = rows.filter(pk__in=differing.values("response"))
    return rows


def _versions(run: Run) -> dict[str, int]:
    """Return the version of each method that the figures use, or the current one if there is none."""
    counted = run_counts(run).versions
    return {method: counted.get(method, int(SCORERS[method].version)) for method in run.methods}


def reading_of(response: ModelResponse) -> Reading:
    """Read a response for its page; its run, item and revision must be loaded."""
    run, placed = response.run, response.release_item
    shots = shots_of(run, placed)
    messages = render(
        prompt_item(placed),
        template=template_of(run.prompt_template),
        shots=[prompt_item(shot) for shot in shots],
    )
    if response.state == ResponseState.FAILED:
        return Reading(messages, "", ())
    return Reading(
        messages=messages,
        read_text=answer_text(response.text),
        scores=score_one(response, scorers_of(run), script_letters(run)),
    )
