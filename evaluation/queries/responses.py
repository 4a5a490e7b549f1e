"""The responses of a run by what became of them, and how each scorer reads one."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet
from django.db.models.functions import Substr

from evaluation.asking import prompt_item, score_one, scorers_of, script_letters, template_of
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.prompts import render
from evaluation.providers.base import Message
from evaluation.queries.results import run_counts
from evaluation.queries.runs import lasting_failures, shots_of
from evaluation.scorers import SCORERS
from evaluation.scorers.batch import ScoredExtraction
from evaluation.scorers.reasoning import answer_text

EXCERPT = 200
RIGHT, WRONG, NONE, SEVERAL, REPEATER, FAILED = (
    "right", "wrong", "none", "several", "repeater", "failed",
)  # fmt: skip
ERROR_KINDS = {
    RIGHT: "",
    WRONG: "knowledge_error",
    NONE: "no_answer",
    SEVERAL: "several_answers",
    REPEATER: "repeater",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """How one response came about and what is read in it.

    messages: the prompt as it was sent, rendered again from the run's parts
    read_text: the response as the scorers see it, without reasoning
    scores: what each method of the run takes, in the order of the run; none of a failed one
    """

    messages: tuple[Message, ...]
    read_text: str
    scores: tuple[ScoredExtraction, ...]


def responses_of(run: Run, *, kind: str, method: str) -> QuerySet[ModelResponse]:
    """The responses of `run`, all or those of one kind by the reading of `method`, for a list.

    Each has `excerpt` (the beginning of its text) and `taken` (at most one score, that of
    `method` in the version that the run's figures count). The same few queries whatever their
    number.
    """
    version = run_counts(run).versions.get(method, int(SCORERS[method].version))
    taken = Score.objects.filter(method=method, version=version)
    rows = ModelResponse.objects.filter(run=run)
    if kind == FAILED:
        rows = lasting_failures(run)
    elif kind in ERROR_KINDS:
        rows = rows.filter(
            scores__method=method, scores__version=version, scores__error_kind=ERROR_KINDS[kind]
        )
    return (
        rows.select_related("release_item__item__subject")
        .defer("text", "release_item__item__question", "release_item__item__options")
        .annotate(excerpt=Substr("text", 1, EXCERPT))
        .prefetch_related(Prefetch("scores", queryset=taken, to_attr="taken"))
    )


def reading_of(response: ModelResponse) -> Reading:
    """What the page of one response shows; `response` comes with run, item and revision."""
    run, placed = response.run, response.release_item
    shots = shots_of(run, placed.item.subject_id)
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


def kinds() -> Sequence[str]:
    return (RIGHT, WRONG, NONE, SEVERAL, REPEATER, FAILED)
