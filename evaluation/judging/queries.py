"""What a judge has still to judge, what it has said, and what that took."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.enums import ItemKind
from endpoints.budgets import price_of
from evaluation.enums import ResponseState
from evaluation.judging.requests import has_text, question_of
from evaluation.models import AnswerJudging, JudgeCall, ModelResponse, Run, Score
from scoring.scorers.judge import SCORER

VERSION = int(SCORER.version)


@dataclass(frozen=True, slots=True)
class JudgingFigures:
    """answers: responses to judge; judged: those with a verdict; calls: replies of the judge.

    unreadable: replies without exactly one verdict; unmeasured: those without a count of tokens.
    price: in US dollars, None if it is not known
    """

    answers: int
    judged: int
    calls: int
    unreadable: int
    unmeasured: int
    price: Decimal | None


def judging_of(run: Run) -> AnswerJudging | None:
    """Return the judging of a run with its job and judge; None if there is none."""
    rows = AnswerJudging.objects.select_related("job", "model_spec__endpoint")
    judging = rows.filter(run=run).first()
    if judging is not None:
        judging.run = run
    return judging


def judged_answers(run: Run) -> QuerySet[ModelResponse]:
    """Return the answers of a run to open-ended items that have a reference."""
    rows = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    return rows.filter(release_item__kind=ItemKind.OPEN).exclude(release_item__revision__answer="")


def unjudged(run: Run) -> QuerySet[ModelResponse]:
    """Return those of them that have no score by the current version, with their texts."""
    there = Score.objects.filter(response=OuterRef("pk"), method=SCORER.name, version=VERSION)
    rows = judged_answers(run).filter(~Exists(there)).order_by("pk")
    return rows.select_related("release_item__revision")


def stored_replies(judging: AnswerJudging, questions: Iterable[str]) -> QuerySet[JudgeCall]:
    """Return the replies to these questions in the project: equal questions are asked once."""
    return JudgeCall.objects.filter(
        judging__run__release__project=judging.run.release.project_id,
        state=ResponseState.ANSWERED,
        question__in=set(questions),
    )


def replies_about(response: ModelResponse) -> Sequence[JudgeCall]:
    """Return what the judge of its run replied about a response, the first reply first."""
    judging = judging_of(response.run)
    if judging is None or not has_text(response):
        return []
    replies = stored_replies(judging, [question_of(judging, response)])
    return list(replies.select_related("judging__model_spec").order_by("pk"))


def judging_figures(judging: AnswerJudging) -> JudgingFigures:
    silent = Q(prompt_tokens=None) | Q(completion_tokens=None)
    found = judging.calls.filter(state=ResponseState.ANSWERED).aggregate(
        calls=Count("pk"),
        unreadable=Count("pk", filter=Q(verdict="")),
        unmeasured=Count("pk", filter=silent),
        prompt=Sum("prompt_tokens", default=0),
        completion=Sum("completion_tokens", default=0),
    )
    price = price_of(judging.model_spec, found.pop("prompt"), found.pop("completion"))
    answers = judged_answers(judging.run).count()
    return JudgingFigures(
        answers=answers,
        judged=answers - unjudged(judging.run).count(),
        price=None if found["unmeasured"] else price,
        **found,
    )
