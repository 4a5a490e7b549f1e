"""The work of a Min-k % test's job: ask how probable each text is, once, and store the raw answers."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.budgets import BudgetUnmeasured, Purse
from endpoints.connections import connect as connect_to
from endpoints.providers.base import ChatRequest
from endpoints.raw_calls import raw_call_columns
from endpoints.specs.testing import check_likelihoods
from evaluation.contamination.actions import ProbabilitiesMissing, check_endpoint
from evaluation.contamination.queries import (
    min_k_figures,
    stored_answers,
    text_request,
    unanswered,
)
from evaluation.contamination.texts import text_of
from evaluation.enums import ResponseState
from evaluation.models import MinKCall, MinKTest, MinKText
from jobs.models import Job
from jobs.progress import Progress
from scoring.min_k import PERCENTS, min_k
from scoring.scorers.likelihood import read_likelihoods

CHUNK: Final = 500
LEAST: Final = -1e9
"""No token of a text is so improbable; −∞, or a sum that no float can hold, would hide all others."""


def perform_min_k(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a test's job; return {run, answered, missing, is_budget_spent}.

    If a text has no answer, it is tried first whether the endpoint gives probabilities of prompts.
    Equal texts are asked once, also by other tests of the project, and running this again after a
    stop asks nothing twice. Raises ProbabilitiesMissing, EndpointClosed, EndpointNotAllowed,
    HiddenItemsKept, BudgetUnmeasured.
    """
    rows = MinKTest.objects.select_related(
        "run__release__project", "run__model_spec__endpoint", "control__project"
    )
    test = rows.get(job=job)
    spec = test.run.model_spec
    check_endpoint(test.run, test.control)
    total, missing = test.texts.count(), unanswered(test).count()
    progress.start(total, done=total - missing)
    if missing:
        check_likelihoods(spec, connect=connect, refusal=ProbabilitiesMissing)
    line = Line(
        endpoint=spec.endpoint, concurrency=test.concurrency, connect=connect, limits=limits
    )
    texts = _Texts(test)
    perform_batch(texts, line, progress=progress, done=total - missing)
    left = unanswered(test).count()
    return {
        "run": test.run_id,
        "answered": total - left,
        "missing": left,
        "is_budget_spent": texts.is_cut,
    }


def _purse_of(test: MinKTest) -> Purse:
    """Return what the test has spent. Raises BudgetUnmeasured if a budget cannot be kept."""
    if test.budget is None:
        return Purse(None, Decimal(0), 0)
    figures = min_k_figures(test)
    if figures.unmeasured:
        raise BudgetUnmeasured
    return Purse(test.budget, figures.price or Decimal(0), figures.calls)


def _logprobs(text: str) -> tuple[float, ...]:
    """Return those of an answer; none if it says none, or if one is below LEAST."""
    found = read_likelihoods(text)
    logprobs = found[0].logprobs if found else ()
    return logprobs if min(logprobs, default=LEAST) >= LEAST else ()


class _Texts:
    """The texts that have no answer, as calls of a batch; a key is the hash of the request."""

    def __init__(self, test: MinKTest) -> None:
        self._test, self._spec = test, test.run.model_spec
        self._asked: dict[str, str] = {}
        self._purse = _purse_of(test)
        self.is_cut = False

    def missing(self) -> Iterator[Sequence[str]]:
        """Yield what has no answer. Raises HiddenItemsKept if hidden items may no longer be sent."""
        last = 0
        rows = unanswered(self._test)
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            last = chunk[-1].pk
            check_endpoint(self._test.run, self._test.control)
            self._asked = {each.request_hash: self._text(each) for each in chunk}
            keys = list(self._asked)
            self.is_cut = not (yield from self._purse.shares(keys, self._test.concurrency))
            if self.is_cut:
                return

    def request(self, key: str) -> ChatRequest:
        return text_request(self._spec, self._asked[key])

    def store(self, results: list[engine.Result[str]]) -> None:
        rows = [self._row(result) for result in results]
        keys = [result.key for result in results]
        stored = stored_answers(self._test).filter(request_hash__in=keys)
        insert_missing(rows, stored=stored, key=("request_hash",))
        for result in results:
            self._purse.pay(self._spec, result)

    def _text(self, text: MinKText) -> str:
        return text_of(text.placed, self._test.side).strip() if text.placed else text.text

    def _row(self, result: engine.Result[str]) -> MinKCall:
        is_answered = result.state == engine.ANSWERED
        logprobs = _logprobs(result.text) if is_answered else ()
        return MinKCall(
            test=self._test,
            state=ResponseState.ANSWERED if is_answered else ResponseState.FAILED,
            token_count=len(logprobs),
            values=[min_k(logprobs, percent) for percent in PERCENTS] if logprobs else [],
            **(raw_call_columns(result) | {"request_hash": result.key}),
        )
