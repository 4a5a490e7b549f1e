"""The work of a translation job: follow the plan of each item, and store every answer before reading it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from django.utils import timezone

from annotation.asking.actions import fail_row, reopen_rows
from annotation.asking.queries import blocked_items, state_counts
from annotation.enums import CallState, ItemState, TranslatedState
from annotation.models import Item, TranslatedItem, TranslationCall, TranslationJob
from annotation.translating.actions import TRANSLATION, conclude_item
from annotation.translating.briefs import brief_of, engine_brief_of
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.plain_engines import engine_parameters
from annotation.translating.prompting import Brief
from annotation.translating.queries import totals_of
from annotation.translating.strategies import Call, CallKey, Plan
from annotation.translating.texts import Unusable
from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.budgets import Purse
from endpoints.connections import check_usable
from endpoints.connections import connect as connect_to
from endpoints.models import Endpoint, ModelSpec
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatRequest
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.raw_calls import raw_call_columns
from jobs.models import Job
from jobs.progress import Progress

CHUNK: Final = 100
Key = tuple[int, str, int]
"""The id of a translated item, a step and an attempt."""


def perform_translation(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a translation job; return its counts, and whether the budget ended it.

    Items are taken in chunks. Of each chunk, the calls that can be made are asked at once and
    stored raw, and the plans continue with the answers. An item is concluded as a text or as a
    failure with its reason. Running this again after a stop asks no stored answer again, because
    there can be only one for each (item, step, attempt).
    """
    started = TRANSLATION.jobs.get(job=job)
    reopen_rows(TRANSLATION, started)
    is_budget_spent = not _Work(started, progress, connect, limits).run()
    counts = state_counts(started.items.all())
    return {
        "translation_job": started.pk,
        "translated": counts[TranslatedState.TRANSLATED],
        "failed": counts[TranslatedState.FAILED],
        "open": counts[TranslatedState.OPEN],
        "is_budget_spent": is_budget_spent,
    }


@dataclass(slots=True)
class _Item:
    """An item in progress: its plan, the calls that the plan waits for, and the answers so far."""

    row: TranslatedItem
    plan: Plan
    answers: dict[CallKey, str]
    calls: Sequence[Call] = ()
    fault: Mapping[str, Any] | None = None
    is_concluded: bool = False

    def unanswered(self) -> list[Call]:
        return [call for call in self.calls if call.key not in self.answers]

    def advance(self) -> None:
        """Give the plan what is answered, until it waits for a call or has ended."""
        try:
            if not self.calls:
                self.calls = next(self.plan)
            while not self.unanswered():
                self.calls = self.plan.send(self.answers)
        except StopIteration as ended:
            self._conclude()
            conclude_item(row=self.row, text=ended.value, now=timezone.now())
        except Unusable as fault:
            self._conclude()
            fail_row(TRANSLATION, self.row, fault.code, fault.data)

    def give_up(self) -> None:
        """Fail the item whose endpoint gave no answer; a resumed job asks it again."""
        self._conclude()
        fail_row(TRANSLATION, self.row, "endpoint", self.fault or {})

    def _conclude(self) -> None:
        self.plan.close()
        self.is_concluded = True


@dataclass(slots=True)
class _Work:
    """One attempt at a job."""

    started: TranslationJob
    progress: Progress
    connect: Connect
    limits: engine.Limits
    concluded: int = 0
    items: dict[int, _Item] = field(default_factory=dict)
    purse: Purse = field(init=False)

    def run(self) -> bool:
        """Return whether every item is concluded; if not, the budget is spent."""
        totals = totals_of(self.started)
        self.purse = Purse(self.started.budget, totals.price or Decimal(0), totals.calls)
        counts = state_counts(self.started.items.all())
        self.concluded = sum(counts.values()) - counts[TranslatedState.OPEN]
        self.progress.start(sum(counts.values()) * self._calls_of_item(), done=self._done())
        return all(self._finish(rows) for rows in self._chunks())

    def _chunks(self) -> Iterator[list[TranslatedItem]]:
        last = 0
        rows = self.started.items.filter(state=TranslatedState.OPEN).order_by("pk")
        rows = rows.select_related("item__subject", "item__project")
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            yield chunk
            last = chunk[-1].pk

    def _finish(self, rows: Sequence[TranslatedItem]) -> bool:
        """Ask until every item of a chunk is concluded; return False if the budget ends before."""
        self._begin(rows)
        self._advance()
        while self.items:
            has_asked_all = self._ask()
            self._advance()
            if not has_asked_all and self.items:
                return False
        return True

    def _advance(self) -> None:
        """Continue every plan as far as its answers go, and forget the items that are concluded."""
        for item in self.items.values():
            if item.fault is None:
                item.advance()
            else:
                item.give_up()
        self.concluded += sum(item.is_concluded for item in self.items.values())
        self.items = {pk: item for pk, item in self.items.items() if not item.is_concluded}

    def _begin(self, rows: Sequence[TranslatedItem]) -> None:
        """Make the plans of a chunk. An item that is hidden or excluded by now fails with that reason.

        Raises EndpointClosed or EndpointNotAllowed where an endpoint may no longer be called.
        """
        specs = [self.started.model_spec, self.started.judge]
        for endpoint in Endpoint.objects.filter(pk__in={spec.endpoint_id for spec in specs}):
            check_usable(endpoint, self.started.project)
        blocked = blocked_items(self.started.project, specs)
        stored = _stored_answers(rows)
        strategy = STRATEGIES[self.started.strategy]
        self.items = {}
        for row in rows:
            row.translation_job = self.started
            if row.item_id in blocked or row.item.state != ItemState.ACTIVE:
                code = "hidden" if row.item_id in blocked else "excluded"
                fail_row(TRANSLATION, row, code, {})
                self.concluded += 1
                continue
            plan = strategy.plan(self._brief(row.item, blocked), self.started.samples)
            self.items[row.pk] = _Item(row, plan, stored.get(row.pk, {}))

    def _brief(self, item: Item, blocked: Collection[int]) -> Brief:
        provider = self.started.model_spec.endpoint.provider
        if provider in ENGINES:
            return engine_brief_of(item, provider)
        return brief_of(item, self.started.prompt_template, without=blocked)

    def _ask(self) -> bool:
        """Ask what the plans wait for, each call at its model; return False if the budget ends before."""
        for is_judge in (False, True):
            wave = _Wave(self, is_judge=is_judge)
            if wave.calls:
                perform_batch(wave, wave.line(), progress=self.progress, done=self._done())
            if wave.is_cut:
                return False
        return True

    def _calls_of_item(self) -> int:
        return STRATEGIES[self.started.strategy].calls(self.started.samples)

    def _done(self) -> int:
        """Return how many calls count as done: all of a concluded item, also those it did not need."""
        most = self._calls_of_item()
        answers = sum(min(len(item.answers), most) for item in self.items.values())
        return self.concluded * most + answers


class _Wave:
    """The calls to one model that can be made now, as calls of a batch."""

    def __init__(self, work: _Work, *, is_judge: bool) -> None:
        self._work, self._is_judge = work, is_judge
        self._spec = work.started.judge if is_judge else work.started.model_spec
        self.calls: dict[Key, Call] = {
            (pk, *call.key): call
            for pk, item in work.items.items()
            for call in item.unanswered()
            if call.is_judge == is_judge
        }
        self.is_cut = False

    def line(self) -> Line:
        return Line(
            endpoint=self._spec.endpoint,
            concurrency=self._work.started.concurrency,
            connect=self._work.connect,
            limits=self._work.limits,
        )

    def missing(self) -> Iterator[Sequence[Key]]:
        """Yield as many calls at once as the budget affords."""
        keys = list(self.calls)
        while keys:
            count = self._work.purse.affords(len(keys), self._work.started.concurrency)
            if not count:
                self.is_cut = True
                return
            yield keys[:count]
            keys = keys[count:]

    def request(self, key: Key) -> ChatRequest:
        call = self.calls[key]
        engine = ENGINES.get(self._spec.endpoint.provider)
        if engine:
            parameters = engine_parameters(
                engine, self._work.started.project, self._spec.parameters
            )
        else:
            parameters = parameters_of(self._spec, call)
        return ChatRequest(self._spec.model, call.prompt.messages, parameters)

    def store(self, results: list[engine.Result[Key]]) -> None:
        """Insert the raw calls, and then give the answers to the plans."""
        rows = [self._row(result) for result in results]
        stored = TranslationCall.objects.filter(
            state=CallState.ANSWERED, translated_item__in={row.translated_item_id for row in rows}
        )
        insert_missing(rows, stored=stored, key=("translated_item_id", "step", "attempt"))
        for result, row in zip(results, rows, strict=True):
            self._note(result, row)

    def _row(self, result: engine.Result[Key]) -> TranslationCall:
        pk, step, attempt = result.key
        is_answered = result.state == engine.ANSWERED
        return TranslationCall(
            translated_item_id=pk,
            step=step,
            attempt=attempt,
            is_judge=self._is_judge,
            state=CallState.ANSWERED if is_answered else CallState.FAILED,
            **raw_call_columns(result),
        )

    def _note(self, result: engine.Result[Key], row: TranslationCall) -> None:
        item = self._work.items[row.translated_item_id]
        if result.error:  # the endpoint's fault, or one of the model that no other call mends
            item.fault = {"fault": result.error}
            return
        if (row.step, row.attempt) not in item.answers:
            item.answers[row.step, row.attempt] = row.text
            self._work.purse.pay(self._spec, result)


def parameters_of(spec: ModelSpec, call: Call) -> dict[str, object]:
    """Return the decoding parameters of a call.

    Candidates differ by seed and have a temperature of their own. A model with the parameter
    `response_format` = {"type": "json_schema"} is given the schema of the answer there.
    """
    parameters = epoch_parameters(spec.parameters, call.number)
    if call.temperature is not None:
        parameters["temperature"] = call.temperature
    wanted = parameters.get("response_format")
    if isinstance(wanted, dict) and wanted.get("type") == "json_schema":
        schema = {"name": "answer", "strict": True, "schema": call.prompt.schema}
        parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
    return parameters


def _stored_answers(rows: Sequence[TranslatedItem]) -> dict[int, dict[CallKey, str]]:
    """Return the stored answers of some items, by item, step and attempt."""
    calls = TranslationCall.objects.filter(translated_item__in=rows, state=CallState.ANSWERED)
    found: dict[int, dict[CallKey, str]] = {}
    for pk, step, attempt, text in calls.values_list("translated_item", "step", "attempt", "text"):
        found.setdefault(pk, {})[step, attempt] = text
    return found
