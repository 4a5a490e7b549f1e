"""The responses of a run, filtered by their scores, and how each method reads a response."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet
from django.db.models.functions import Substr

from endpoints.providers.base import Message
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.queries import lasting_failures, shots_of
from evaluation.request_building import (
    prompt_item,
    score_one,
    scorers_of,
    script_letters,
)
from evaluation.results.queries.differences import differing_scores
from evaluation.results.queries.figures import run_counts
from prompts.queries import template_of
from prompts.rendering import render
from releases.models import ReleaseItem
from scoring.batch import ScoredExtraction
from scoring.scorers import SCORERS
from scoring.scorers.reasoning import answer_text

EXCERPT = 200
RIGHT, WRONG, NONE, SEVERAL, REPEATER, FAILED = (
    "right", "wrong", "none", "several", "repeater", "failed",
)  # fmt: skip
CAUSES = (
    "refusal", "truncated", "repeats_shots", "repeats_question", "other_language",
)  # fmt: skip
"""Kinds of errors that say more than an outcome does."""
KINDS = (RIGHT, WRONG, NONE, SEVERAL, REPEATER, *CAUSES, FAILED)
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

    method: whose scores to filter by; empty if the run has no methods
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
    compared = Q(pk__in=[])
    for name in filter(None, (wanted.method, wanted.differs)):
        compared |= Q(method=name, version=versions[name])
    shown_scores = Score.objects.filter(compared)
    return (
        filtered_responses(run, wanted, versions)
        .select_related("release_item__subject")
        .defer(
            "text",
            "reasoning",
            "refusal",
            "tool_calls",
            "body",
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
            scores__version=versions.get(wanted.method, 0),
            scores__error_kind=ERROR_KINDS[wanted.kind],
        )
    if wanted.kind in CAUSES:
        rows = rows.filter(
            scores__method=wanted.method,
            scores__version=versions[wanted.method],
            scores__cause=wanted.kind,
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
    messages = _messages(run, placed)
    if response.state == ResponseState.FAILED:
        return Reading(messages, "", ())
    return Reading(
        messages=messages,
        read_text=answer_text(response.text, is_published=run.is_published),
        scores=score_one(
            response,
            scorers_of(run),
            script_letters(run),
            is_published=run.is_published,
            rotation=run.rotation,
        ),
    )


def _messages(run: Run, placed: ReleaseItem) -> tuple[Message, ...]:
    """Return the messages that asked the item; none if another program asked it."""
    if run.imported_from:
        return ()
    shots = [prompt_item(shot) for shot in shots_of(run, placed)]
    asked = prompt_item(placed, run.rotation)
    return render(asked, template=template_of(run.prompt_template), shots=shots)
