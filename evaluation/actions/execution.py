"""The work of a run's job: ask the open questions, store the raw answers, then score them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from endpoints import engine
from endpoints.connections import connect as connect_to
from endpoints.connections import limiter_of
from endpoints.models import Endpoint
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatProvider, ChatRequest
from endpoints.raw_calls import raw_call_columns
from evaluation.actions.scores import headline_kept, score_missing, score_rows, with_texts
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from evaluation.prompts import PromptItem, Template, render
from evaluation.queries.runs import (
    answered_count,
    answered_units,
    asked_items,
    lasting_failures,
    shots_by_subject,
)
from evaluation.request_building import prompt_item, template_of
from jobs.models import Job
from jobs.progress import JobCancelled, JobInterrupted, Progress
from releases.models import ReleaseItem

CHUNK = 1000
Connect = Callable[[Endpoint], ChatProvider]
SAID_LENGTH = 300
HTTP_STATUS = re.compile(r"[1-5]\d\d(?= |$)")


# The keys are the codes of `endpoints.providers.base.EndpointError`.
ENDPOINT_FAULTS: Mapping[str, str | Promise] = {
    "endpoint-busy": _("it asked for fewer requests"),
    "endpoint-broken": _("it reported an internal error"),
    "endpoint-unreachable": _("it could not be reached, or did not answer in time"),
    "endpoint-garbled": _("its replies are not chat completions"),
    "endpoint-refused": _("it refused the requests"),
}


class EndpointStopped(DomainError):
    """A run stopped because of its endpoint.

    Every member can read this error, so its text does not quote the endpoint, whose reply may
    contain a hidden question. `fault` is a key of ENDPOINT_FAULTS, and `status` the HTTP status, if
    any. The text is built from them when it is shown. `said` is the beginning of the reply, for
    those who may read hidden items.
    """

    def __str__(self) -> str:
        fault = str(ENDPOINT_FAULTS.get(self.params["fault"], self.params["fault"]))
        if self.params.get("status"):
            fault = f"{fault} (HTTP {self.params['status']})"
        return str(self.detail) % {"fault": fault}


class EndpointFailing(EndpointStopped):
    code = "endpoint_failing"
    detail = _(
        "The endpoint failed many times in a row: %(fault)s. Its answers so far are kept. Resume"
        " the run when the endpoint works again."
    )


class EndpointAsksToWait(EndpointStopped):
    code = "endpoint_asks_to_wait"
    detail = _(
        "The endpoint asks for a long pause: %(fault)s. Its answers so far are kept. Resume the run"
        " later."
    )


def perform_run(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a run's job; return {run, answered, failed}.

    1. Score the stored answers that the current version of a method has not scored. This comes
       first and needs no endpoint, so that one version has scored them all even if step 2 fails.
    2. Go through the test items in chunks, in the order of the release, and ask each (item, epoch)
       that has no answer. Raw answers are committed in batches; scores follow in a second
       transaction.

    No request is made inside a transaction. Running this again after a stop asks nothing twice,
    because there can be only one answer for each (run, item, epoch).
    """
    rows = Run.objects.select_related("release__project", "model_spec__endpoint", "prompt_template")
    run = rows.get(job=job)
    execution = _Execution(run, progress, connect, limits)
    with headline_kept(run):
        execution.begin()
        for chunk in _chunks(run):
            execution.ask(chunk)
        score_missing(run=run)  # answers of a worker that was killed before scoring them
    return {"run": run.pk, "answered": execution.answered, "failed": lasting_failures(run).count()}


@dataclass(slots=True)
class _Execution:
    """One attempt at a run: its progress, and how it ends."""

    run: Run
    progress: Progress
    connect: Connect
    limits: engine.Limits
    answered: int = 0
    failed: int = 0
    template: Template = field(init=False)
    stopped_by: type[Exception] | None = None
    shots: dict[tuple[int, str], tuple[PromptItem, ...]] = field(default_factory=dict)

    def begin(self) -> None:
        self.template = template_of(self.run.prompt_template)
        self.answered = answered_count(self.run)
        self.shots = {
            place: tuple(prompt_item(shot) for shot in shots)
            for place, shots in shots_by_subject(self.run).items()
        }
        total = asked_items(self.run.release, self.run.methods).count() * self.run.epochs
        self.progress.start(total, done=self.answered)
        score_missing(run=self.run, when_read=lambda _read: self.progress.check())

    def ask(self, chunk: list[ReleaseItem]) -> None:
        """Ask the open questions of `chunk`. Raises the error that ends the job, if any."""
        self.progress.check()
        done = answered_units(self.run, first=chunk[0].position, last=chunk[-1].position)
        missing = [
            (placed, epoch)
            for placed in chunk
            for epoch in range(1, self.run.epochs + 1)
            if (placed.pk, epoch) not in done
        ]
        if not missing:
            return
        summary = engine.run(
            (self._unit(placed, epoch) for placed, epoch in missing),
            provider=self.connect(self.run.model_spec.endpoint),
            concurrency=self.run.concurrency,
            store=self._store,
            is_cancelled=self._should_stop,
            limits=self.limits,
            limiter=limiter_of(self.run.model_spec.endpoint),
        )
        self._conclude(summary)

    def _unit(self, placed: ReleaseItem, epoch: int) -> engine.Unit:
        spec = self.run.model_spec
        shots = self.shots.get((placed.subject_id, placed.kind), ())
        request = ChatRequest(
            spec.model,
            render(prompt_item(placed), template=self.template, shots=shots),
            epoch_parameters(spec.parameters, epoch),
        )
        return engine.Unit(placed.pk, epoch, request)

    def _store(self, results: list[engine.Result]) -> None:
        rows = [_row(self.run, result) for result in results]
        try:
            _insert(self.run, rows)
        except IntegrityError:  # another worker, assuming this one is dead, has just stored some
            _insert(self.run, rows)
        self.answered += sum(row.state == ResponseState.ANSWERED for row in rows)
        self.failed += sum(row.state == ResponseState.FAILED for row in rows)
        items = {row.release_item_id for row in rows if row.state == ResponseState.ANSWERED}
        stored = ModelResponse.objects.filter(
            run=self.run, release_item__in=items, state=ResponseState.ANSWERED, scores=None
        )
        with transaction.atomic():
            score_rows(self.run, with_texts(stored))

    def _should_stop(self) -> bool:
        """Report progress; remember who wants the run to stop, to raise it at the end."""
        try:
            self.progress.advance_to(self.answered + self.failed)
        except (JobCancelled, JobInterrupted) as error:
            self.stopped_by = type(error)
            return True
        return False

    def _conclude(self, summary: engine.Summary) -> None:
        if summary.outcome is engine.Outcome.TERMINATED:
            raise JobInterrupted
        if summary.outcome is engine.Outcome.CANCELLED:
            raise self.stopped_by or JobCancelled
        if summary.outcome is engine.Outcome.ENDPOINT_FAILING:
            raise EndpointFailing(**_fault(summary.detail))
        if summary.outcome is engine.Outcome.ASKED_TO_WAIT:
            raise EndpointAsksToWait(**_fault(summary.detail))


def _chunks(run: Run) -> Iterator[list[ReleaseItem]]:
    last = -1
    rows = asked_items(run.release, run.methods)
    while chunk := list(rows.filter(position__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].position


@transaction.atomic
def _insert(run: Run, rows: list[ModelResponse]) -> None:
    """Insert the responses except for questions with an answer, so a batch may be stored twice."""
    there = set(
        ModelResponse.objects.filter(
            run=run,
            release_item__in=[row.release_item_id for row in rows],
            state=ResponseState.ANSWERED,
        ).values_list("release_item_id", "epoch")
    )
    ModelResponse.objects.bulk_create(
        row for row in rows if (row.release_item_id, row.epoch) not in there
    )


def _row(run: Run, result: engine.Result) -> ModelResponse:
    return ModelResponse(
        run=run,
        release_item_id=result.item,
        epoch=result.epoch,
        state=ResponseState.ANSWERED if result.state == engine.ANSWERED else ResponseState.FAILED,
        **raw_call_columns(result),
    )


def _fault(detail: str) -> dict[str, Any]:
    """Return the code of a failed call, its HTTP status, and the reply, which may be hidden text."""
    fault, _colon, rest = detail.partition(": ")
    status = HTTP_STATUS.match(rest)
    return {
        "fault": fault if fault in ENDPOINT_FAULTS else "endpoint-broken",
        "status": int(status.group()) if status else None,
        "said": rest.replace("\0", "")[:SAID_LENGTH],
    }
