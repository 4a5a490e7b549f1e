"""What judging a run would take before it starts: answers, calls, tokens and price."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final

from endpoints.budgets import BYTES_PER_TOKEN, answer_limit, measured_answer, price_of
from endpoints.models import ModelSpec
from evaluation.enums import ResponseState
from evaluation.judging.actions import JudgingSettings, check_judging
from evaluation.judging.queries import stored_replies, unjudged
from evaluation.judging.requests import has_text, judge_request, question_of
from evaluation.models import AnswerJudging, JudgeCall, ModelResponse, Run

LOOKED_AT: Final = 200
"""How many answers are looked at; the rest is extrapolated."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What judging would take; all but `answers` are extrapolated if `looked_at` < `answers`.

    answers: those without a verdict
    calls: without replies that cannot be read and are asked for again; equal answers are one call
    prompt_tokens: by the length of the requests, at 3 bytes a token
    completion_tokens: by the judge's last replies, else by the most that it may write; None if
        neither is known
    price: in US dollars, None if prices or tokens are not known
    """

    answers: int
    looked_at: int
    calls: int
    prompt_tokens: int
    completion_tokens: int | None
    price: Decimal | None


def estimate_judging(*, run: Run, judge: ModelSpec, settings: JudgingSettings) -> Estimate:
    """Return what judging would take, without writing. Raises what `start_judging` raises first."""
    check_judging(run, judge, settings)
    pks = list(unjudged(run).values_list("pk", flat=True))
    chosen = list(unjudged(run).filter(pk__in=pks[:: max(1, -(-len(pks) // LOOKED_AT))]))
    scale = len(pks) / len(chosen) if chosen else 0.0
    sizes = _request_sizes(AnswerJudging(run=run, model_spec=judge, rubric=settings.rubric), chosen)
    calls, prompt_tokens = round(len(sizes) * scale), round(sum(sizes) * scale / BYTES_PER_TOKEN)
    completion_tokens = _completion_tokens(run, judge, calls)
    is_known = completion_tokens is not None
    return Estimate(
        answers=len(pks),
        looked_at=len(chosen),
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        price=price_of(judge, prompt_tokens, completion_tokens or 0) if is_known else None,
    )


def estimate_json(found: Estimate) -> dict[str, Any]:
    """Return what the command and the API tell of an estimate; the price is text."""
    return {**asdict(found), "price": None if found.price is None else str(found.price)}


def _request_sizes(judging: AnswerJudging, responses: Sequence[ModelResponse]) -> Sequence[int]:
    """Return the bytes of each request that has no reply yet."""
    asked = {question_of(judging, each): each for each in responses if has_text(each)}
    known = stored_replies(judging, asked).exclude(verdict="").values_list("question", flat=True)
    requests = [
        judge_request(judging, asked[question], 1) for question in asked.keys() - set(known)
    ]
    return [sum(len(message.content.encode()) for message in each.messages) for each in requests]


def _completion_tokens(run: Run, judge: ModelSpec, calls: int) -> int | None:
    replies = JudgeCall.objects.filter(
        judging__run__release__project=run.release.project_id,
        judging__model_spec__model=judge.model,
        state=ResponseState.ANSWERED,
    )
    mean = measured_answer(replies)
    each = answer_limit(judge) if mean is None else mean
    return None if each is None else round(calls * each)
