"""The work of a judging's job: ask the judge about each answer once, and score by what it says."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.budgets import BudgetUnmeasured, Purse
from endpoints.connections import check_usable
from endpoints.connections import connect as connect_to
from endpoints.providers.base import ChatRequest
from endpoints.raw_calls import raw_call_columns
from evaluation.enums import ResponseState
from evaluation.judging.queries import judged_answers, judging_figures, stored_replies, unjudged
from evaluation.judging.requests import has_text, judge_request, question_of
from evaluation.models import AnswerJudging, JudgeCall, ModelResponse
from evaluation.results.actions import headline_kept, store_judged
from evaluation.runs.hidden_items import check_hidden_items
from jobs.models import Job
from jobs.progress import Progress
from scoring.scorers.judge import NOT_ATTEMPTED, SCORER, read_verdict

CHUNK: Final = 500
ATTEMPTS: Final = 2
"""So often a judge is asked whose reply cannot be read."""
Key = tuple[str, int]
"""The hash of the first request about an answer, and the attempt."""


def perform_judging(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a judging's job; return {run, judged, unjudged, is_budget_spent}.

    Each reply is stored raw before it is read. Equal answers to an item are judged once, also in
    other runs of the project, and an answer without text is not sent: it attempts nothing. Running
    this again after a stop asks nothing twice. Raises EndpointClosed, EndpointNotAllowed,
    HiddenItemsKept, BudgetUnmeasured.
    """
    rows = AnswerJudging.objects.select_related(
        "run__release__project", "run__model_spec", "run__prompt_template", "model_spec__endpoint"
    )
    judging = rows.get(job=job)
    run, spec = judging.run, judging.model_spec
    check_usable(spec.endpoint, run.release.project)
    line = Line(
        endpoint=spec.endpoint, concurrency=judging.concurrency, connect=connect, limits=limits
    )
    with headline_kept(run):
        total = judged_answers(run).count()
        progress.start(total, done=total - unjudged(run).count())
        questions = _Questions(judging)
        for attempt in range(1, ATTEMPTS + 1):
            questions.attempt = attempt
            done = total - unjudged(run).count()
            perform_batch(questions, line, progress=progress, done=done)
            if questions.is_cut:
                break
        questions.settle()
        left = unjudged(run).count()
    return {
        "run": run.pk,
        "judged": total - left,
        "unjudged": left,
        "is_budget_spent": questions.is_cut,
    }


def _purse_of(judging: AnswerJudging) -> Purse:
    """Return what the judging has spent. Raises BudgetUnmeasured if a budget cannot be kept."""
    if judging.budget is None:
        return Purse(None, Decimal(0), 0)
    figures = judging_figures(judging)
    if figures.unmeasured:
        raise BudgetUnmeasured
    return Purse(judging.budget, figures.price or Decimal(0), figures.calls)


class _Questions:
    """What a judge has still to be asked, as calls of a batch."""

    def __init__(self, judging: AnswerJudging) -> None:
        self._judging, self._spec = judging, judging.model_spec
        self._asked: dict[str, ModelResponse] = {}
        self._purse = _purse_of(judging)
        self.attempt = 1
        self.is_cut = False

    def missing(self) -> Iterator[Sequence[Key]]:
        """Yield what this attempt has to ask; what is known already is scored on the way.

        Raises HiddenItemsKept if the endpoint may no longer see hidden items.
        """
        run = self._judging.run
        for keys in self._open():
            check_hidden_items(run.release, self._spec, [SCORER.name])
            self.is_cut = not (yield from self._purse.shares(keys, self._judging.concurrency))
            if self.is_cut:
                return

    def request(self, key: Key) -> ChatRequest:
        question, attempt = key
        return judge_request(self._judging, self._asked[question], attempt)

    def store(self, results: list[engine.Result[Key]]) -> None:
        rows = [self._row(result) for result in results]
        stored = JudgeCall.objects.filter(
            judging=self._judging,
            state=ResponseState.ANSWERED,
            question__in={row.question for row in rows},
        )
        insert_missing(rows, stored=stored, key=("question", "attempt"))
        for result in results:
            self._purse.pay(self._spec, result)

    def settle(self) -> None:
        """Score all answers whose verdict is known by now."""
        for _keys in self._open():
            pass

    def _open(self) -> Iterator[Sequence[Key]]:
        """Score what is known of each chunk of answers, and yield what this attempt asks."""
        last = 0
        rows = unjudged(self._judging.run)
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            last = chunk[-1].pk
            yield self._settled(chunk)

    def _settled(self, chunk: Sequence[ModelResponse]) -> Sequence[Key]:
        said = {each: question_of(self._judging, each) for each in chunk if has_text(each)}
        verdicts: dict[str, str] = {}
        attempts: dict[str, int] = {}
        for call in stored_replies(self._judging, said.values()).order_by("pk"):
            if call.verdict:
                verdicts.setdefault(call.question, call.verdict)
            if call.judging_id == self._judging.pk:
                attempts[call.question] = attempts.get(call.question, 0) + 1
        known = {each: verdicts.get(question, "") for each, question in said.items()}
        known |= {each: NOT_ATTEMPTED for each in chunk if each not in said}
        store_judged(self._judging.run, {each: said for each, said in known.items() if said})
        self._asked = {question: each for each, question in said.items()}
        return [
            (question, self.attempt)
            for question in self._asked
            if question not in verdicts and attempts.get(question, 0) == self.attempt - 1
        ]

    def _row(self, result: engine.Result[Key]) -> JudgeCall:
        question, attempt = result.key
        is_answered = result.state == engine.ANSWERED
        columns = raw_call_columns(result)
        return JudgeCall(
            judging=self._judging,
            question=question,
            attempt=attempt,
            state=ResponseState.ANSWERED if is_answered else ResponseState.FAILED,
            verdict=read_verdict(columns["text"]) if is_answered else "",
            **columns,
        )
