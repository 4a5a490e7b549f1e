"""The work of a run's job: ask the open questions, store the raw answers, then score them."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction

from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.budgets import BudgetUnmeasured, Purse
from endpoints.connections import connect as connect_to
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatRequest
from endpoints.raw_calls import raw_call_columns
from endpoints.specs.testing import check_likelihoods
from evaluation.contents import said_in
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from evaluation.queries import (
    answered_count,
    answered_units,
    asked_items,
    lasting_failures,
)
from evaluation.request_building import prompt_item
from evaluation.results.actions import (
    headline_kept,
    score_missing,
    score_rows,
    shot_items,
    with_texts,
)
from evaluation.results.queries.usage import usage_of
from evaluation.runs.hidden_items import check_hidden_items
from evaluation.runs.reuse import Asked, has_earlier_run, reuse_answers
from jobs.models import Job
from jobs.progress import Progress
from prompts.queries import template_of
from prompts.rendering import continuations, render
from releases.models import ReleaseItem
from scoring.scorers import are_likelihoods

CHUNK = 1000


def perform_run(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a run's job; return {run, answered, failed, is_budget_spent}.

    1. Score the stored answers that the current version of a method has not scored. This comes
       first and needs no endpoint, so that one version has scored them all even if step 2 fails.
    2. Copy the answers that earlier runs of the project got to the same requests, and score them.
    3. If the methods read likelihoods, try whether the endpoint gives any.
    4. Go through the test items in chunks, in the order of the release, and ask each (item, epoch)
       that has no answer. Raw answers are committed in batches; scores follow in a second
       transaction.

    A run with a budget asks as many questions at once as the budget affords by the mean price so
    far, so it may exceed it by what the last ones cost above the mean. Raises BudgetUnmeasured,
    LikelihoodsMissing.

    No request is made inside a transaction. Running this again after a stop asks nothing twice,
    because there can be only one answer for each (run, item, epoch).
    """
    rows = Run.objects.select_related("release__project", "model_spec__endpoint", "prompt_template")
    run = rows.get(job=job)
    line = Line(
        endpoint=run.model_spec.endpoint,
        concurrency=run.concurrency,
        connect=connect,
        limits=limits,
    )
    with headline_kept(run):
        asked = asked_items(run.release, run.methods).count()
        progress.start(asked * run.epochs, done=answered_count(run))
        score_missing(run=run, when_read=lambda _read: progress.check())
        questions = Questions(run)
        if has_earlier_run(run):
            _reuse(run, questions, progress)
        questions.purse = purse_of(run)
        if are_likelihoods(run.methods):
            check_likelihoods(run.model_spec, connect=connect)
        perform_batch(questions, line, progress=progress, done=answered_count(run))
        score_missing(run=run)  # answers of a worker that was killed before scoring them
    return result_of(run, is_budget_spent=questions.is_cut)


def result_of(run: Run, *, is_budget_spent: bool) -> dict[str, Any]:
    """Return what the job of a run says when it ends."""
    return {
        "run": run.pk,
        "answered": answered_count(run),
        "failed": lasting_failures(run).count(),
        "is_budget_spent": is_budget_spent,
    }


def purse_of(run: Run) -> Purse:
    """Return what the run has spent. Raises BudgetUnmeasured if a budget cannot be kept."""
    if run.budget is None:
        return Purse(None, Decimal(0), 0)
    usage = usage_of(run)
    if usage.unmeasured:
        raise BudgetUnmeasured
    return Purse(run.budget, usage.price or Decimal(0), usage.bought)


def _reuse(run: Run, questions: "Questions", progress: Progress) -> None:
    """Copy and score what earlier runs have answered; stop between chunks where asked to."""
    for keys in questions.open_keys():
        progress.check()
        reuse_answers(run=run, requests={key: questions.request(key) for key in keys})
    score_missing(run=run, when_read=lambda _read: progress.check())


class Questions:
    """The open questions of a run, as calls of a batch."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._template = template_of(run.prompt_template)
        self._shots = shot_items(run)
        self._items: dict[int, ReleaseItem] = {}
        self.purse = Purse(None, Decimal(0), 0)
        self.is_cut = False

    def missing(self) -> Iterator[Sequence[Asked]]:
        """Yield what has no answer, as many at once as the budget affords.

        Raises HiddenItemsKept if the endpoint may no longer see hidden items.
        """
        run = self._run
        for keys in self.open_keys():
            check_hidden_items(run.release, run.model_spec, run.methods)
            self.is_cut = not (yield from self.purse.shares(keys, self._run.concurrency))
            if self.is_cut:
                return

    def open_keys(self) -> Iterator[Sequence[Asked]]:
        """Yield the (item, epoch) without an answer, in the order of the release."""
        for chunk in self._chunks():
            done = answered_units(self._run, first=chunk[0].position, last=chunk[-1].position)
            self.take(chunk)
            epochs = range(1, self._run.epochs + 1)
            asked = ((placed.pk, epoch) for placed in chunk for epoch in epochs)
            yield [each for each in asked if each not in done]

    def take(self, chunk: Iterable[ReleaseItem]) -> None:
        """Make these the items whose questions `request` returns."""
        self._items = {placed.pk: placed for placed in chunk}

    def request(self, key: Asked) -> ChatRequest:
        pk, epoch = key
        placed, spec = self._items[pk], self._run.model_spec
        shots = self._shots.get((placed.subject_id, placed.kind), ())
        asked = prompt_item(placed, self._run.rotation)
        messages = render(asked, template=self._template, shots=shots)
        if are_likelihoods(self._run.methods):
            options = continuations(asked, self._template)
            return ChatRequest(spec.model, messages, continuations=options)
        return ChatRequest(spec.model, messages, epoch_parameters(spec.parameters, epoch))

    def store(self, results: list[engine.Result[Asked]], *, is_from_file: bool = False) -> None:
        """Insert the responses, then score the answers among them in a second transaction."""
        rows = [_response(self._run, result, is_from_file) for result in results]
        answers = ModelResponse.objects.filter(run=self._run, state=ResponseState.ANSWERED)
        stored = answers.filter(release_item__in=[row.release_item_id for row in rows])
        insert_missing(rows, stored=stored, key=("release_item_id", "epoch"))
        with transaction.atomic():
            score_rows(self._run, with_texts(stored.filter(scores=None)), self._shots)
        for result in results:
            self.purse.pay(self._run.model_spec, result)

    def _chunks(self) -> Iterator[list[ReleaseItem]]:
        last = -1
        rows = asked_items(self._run.release, self._run.methods)
        while chunk := list(rows.filter(position__gt=last)[:CHUNK]):
            yield chunk
            last = chunk[-1].position


def _response(run: Run, result: engine.Result[Asked], is_from_file: bool) -> ModelResponse:
    pk, epoch = result.key
    is_answered = result.state == engine.ANSWERED
    return ModelResponse(
        run=run,
        release_item_id=pk,
        epoch=epoch,
        state=ResponseState.ANSWERED if is_answered else ResponseState.FAILED,
        says=said_in(result.text, result.reasoning) if is_answered else "",
        is_from_file=is_from_file,
        **raw_call_columns(result),
    )
