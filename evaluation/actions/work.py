"""What a run's job does: asks what has no answer yet, stores each batch raw, then scores it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from common.jobs import JobCancelled, JobInterrupted, Progress
from common.models import Job
from evaluation import engine
from evaluation.actions.scores import score_missing, score_rows, with_texts
from evaluation.actions.specs import check_endpoint
from evaluation.asking import prompt_item, template_of
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, ModelSpec, Run
from evaluation.parameters import epoch_parameters
from evaluation.prompts import PromptItem, Template, render
from evaluation.providers.base import ChatProvider, ChatRequest
from evaluation.providers.openai_compatible import MissingKeyError, OpenAICompatible
from evaluation.providers.redis_limits import RedisTokenBucket, client_of
from evaluation.queries.results import run_counts
from evaluation.queries.runs import (
    answered_count,
    answered_units,
    asked_items,
    lasting_failures,
    shots_by_subject,
)
from evaluation.queries.specs import endpoint_limit
from evaluation.rate_limits import RateLimiter, limiter_of_process
from releases.models import ReleaseItem

CHUNK = 1000
LARGEST_COUNT = 2_147_483_647
OpenEndpoint = Callable[[ModelSpec], ChatProvider]


class KeyMissing(DomainError):
    """Every member may read why a run stopped, so the variable's name is not in the words."""

    code = "key_missing"
    detail = _(
        "The environment variable that should hold the endpoint's key is not set for the worker."
        " Set it, start the worker again and go on."
    )


class EndpointFailing(DomainError):
    code = "endpoint_failing"
    detail = _(
        "The endpoint failed many times in a row (%(reason)s). What it has answered is kept; go on"
        " when it works again."
    )


class EndpointAsksToWait(DomainError):
    code = "endpoint_asks_to_wait"
    detail = _(
        "The endpoint asks for a long pause (%(reason)s). What it has answered is kept; go on later."
    )


def open_endpoint(spec: ModelSpec) -> ChatProvider:
    """A client of the endpoint of `spec`. Raises KeyMissing, and ModelInvalid if it is not allowed."""
    check_endpoint(spec.base_url)
    try:
        return OpenAICompatible(spec.base_url, key_variable=spec.api_key_env)
    except MissingKeyError as error:
        raise KeyMissing from error


def limiter_of(spec: ModelSpec) -> RateLimiter:
    """The limit of the endpoint of `spec`: shared by all workers on Redis, else within this process.

    A changed limit holds from the next look, which is the next chunk of a run.
    """
    limit = endpoint_limit(spec)
    rate = limit / 60 if limit else None
    if settings.REDIS_URL:
        return RedisTokenBucket(client_of(settings.REDIS_URL), spec.base_url, rate or 0.0)
    return limiter_of_process(spec.base_url, rate)


def do_run(
    job: Job,
    progress: Progress,
    *,
    connect: OpenEndpoint = open_endpoint,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """The work of a run's job; returns {run, answered, failed}.

    Test items go in chunks, in the order of the release; of each chunk exactly the (item, epoch)
    without an answered response are asked. A batch of raw outputs is committed before anything
    is read in it; scores follow in a transaction of their own and are made up for at the end. No
    request is made inside a transaction. A repeat after any stop asks nothing twice: the key
    (run, item, epoch) holds one answer.
    """
    run = Run.objects.select_related("release__project", "model_spec", "prompt_template").get(
        job=job
    )
    asking = _Asking(run, progress, connect, limits)
    asking.begin()
    for chunk in _chunks(run):
        asking.ask(chunk)
    score_missing(run=run, progress=progress)
    run_counts(run)  # so that the first look at a large run's page does not wait for it
    return {"run": run.pk, "answered": asking.answered, "failed": lasting_failures(run).count()}


@dataclass(slots=True)
class _Asking:
    """One attempt at a run: how far it is and how it ends."""

    run: Run
    progress: Progress
    connect: OpenEndpoint
    limits: engine.Limits
    answered: int = 0
    failed: int = 0
    template: Template = field(init=False)
    stopped_by: type[Exception] | None = None
    shots: dict[int, tuple[PromptItem, ...]] = field(default_factory=dict)

    def begin(self) -> None:
        self.template = template_of(self.run.prompt_template)
        self.answered = answered_count(self.run)
        self.shots = {
            subject: tuple(prompt_item(shot) for shot in shots)
            for subject, shots in shots_by_subject(self.run).items()
        }
        total = asked_items(self.run.release).count() * self.run.epochs
        self.progress.start(total, done=self.answered)

    def ask(self, chunk: list[ReleaseItem]) -> None:
        """Put what is missing of `chunk` to the endpoint; raises what ends the job, if anything."""
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
            provider=self.connect(self.run.model_spec),
            concurrency=self.run.concurrency,
            store=self._store,
            is_cancelled=self._should_stop,
            limits=self.limits,
            limiter=limiter_of(self.run.model_spec),
        )
        self._conclude(summary)

    def _unit(self, placed: ReleaseItem, epoch: int) -> engine.Unit:
        spec = self.run.model_spec
        shots = self.shots.get(placed.item.subject_id, ())
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
        except IntegrityError:  # another worker, taking this one for dead, was quicker by a moment
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
        """Tell how far it is; whoever wants the run to stop is remembered for its end."""
        try:
            self.progress.reach(self.answered + self.failed)
        except (JobCancelled, JobInterrupted) as error:
            self.stopped_by = type(error)
            return True
        return False

    def _conclude(self, summary: engine.Summary) -> None:
        reason = _without_excerpt(summary.detail)
        if summary.outcome is engine.Outcome.TERMINATED:
            raise JobInterrupted
        if summary.outcome is engine.Outcome.CANCELLED:
            raise self.stopped_by or JobCancelled
        if summary.outcome is engine.Outcome.ENDPOINT_FAILING:
            raise EndpointFailing(reason=reason)
        if summary.outcome is engine.Outcome.ASKED_TO_WAIT:
            raise EndpointAsksToWait(reason=reason)


def _chunks(run: Run) -> Iterator[list[ReleaseItem]]:
    last = -1
    while chunk := list(asked_items(run.release).filter(position__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].position


@transaction.atomic
def _insert(run: Run, rows: list[ModelResponse]) -> None:
    """Insert the responses but answers that are there already; so a batch may come twice."""
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
        text=_storable(result.text),
        error=_storable(result.error),
        finish_reason=_storable(result.finish_reason),
        endpoint_model=_storable(result.endpoint_model),
        prompt_tokens=_bounded(result.prompt_tokens),
        completion_tokens=_bounded(result.completion_tokens),
        latency_ms=result.latency_ms,
        try_count=result.try_count,
        request_hash=result.request_hash,
        created_at=result.finished_at,
    )


def _storable(text: str) -> str:
    """Without what a database can't hold: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _bounded(count: int | None) -> int | None:
    return None if count is None else min(count, LARGEST_COUNT)


def _without_excerpt(detail: str) -> str:
    """The kind of failure and its first word: what an endpoint says may repeat a hidden item."""
    return " ".join(detail.split()[:2])
