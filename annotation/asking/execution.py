"""The work of jobs that ask models about items: follow a plan for each row, and store answers before reading them."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Final, cast

from django.db.models import Exists, OuterRef

from annotation.asking.actions import change_budget, check_again, fail_row, reopen_rows
from annotation.asking.answers import Unusable
from annotation.asking.kinds import AskingKind
from annotation.asking.plans import Answer, Answers, Call, CallKey
from annotation.asking.queries import (
    ANSWERED,
    OPEN,
    Totals,
    blocked_items,
    retried_rows,
    state_counts,
)
from annotation.enums import CallState, ItemState
from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.budgets import BudgetUnmeasured, Purse
from endpoints.connections import check_usable
from endpoints.held.kinds import FileStep, Standing
from endpoints.models import Endpoint, ModelSpec
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatRequest
from endpoints.raw_calls import raw_call_columns
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project

CHUNK: Final = 100
Plan = Generator[Sequence[Call], Answers, Any]
Key = tuple[int, str, int]
"""The id of a row, a step and an attempt."""


@dataclass(slots=True)
class _Open:
    """A row in progress: its plan, the calls that the plan waits for, and the answers so far."""

    row: Any
    plan: Plan
    answers: dict[CallKey, Answer]
    calls: Sequence[Call] = ()
    fault: Mapping[str, Any] | None = None

    def unanswered(self) -> list[Call]:
        return [call for call in self.calls if call.key not in self.answers]


class AskingWork(ABC):
    """One attempt at a job of a kind.

    Rows are taken in chunks. Of each chunk, the calls that can be made are asked at once and stored
    raw, and the plans continue with the answers. Running this again after a stop asks no stored answer
    again, because there can be only one for each `key`.

    `calls` is the table of raw calls, and `row` its column with what was asked. Where calls have no
    steps, the step is "".
    """

    kind: ClassVar[AskingKind[Any]]
    calls: ClassVar[Any]
    row: ClassVar[str]
    key: ClassVar[tuple[str, ...]]
    relations: ClassVar[tuple[str, ...]]

    def __init__(
        self, job: Job, progress: Progress, connect: Connect, limits: engine.Limits
    ) -> None:
        self.started = self.kind.jobs.get(job=job)
        self.progress, self.connect, self.limits = progress, connect, limits
        self.rows = getattr(self.started, self.kind.rows)
        self.open: dict[int, _Open] = {}
        self.is_reading = False

    @abstractmethod
    def totals(self) -> Totals:
        """Return what the job has taken so far."""

    @abstractmethod
    def plan(self, row: Any, blocked: Collection[int]) -> Plan:
        """Return the plan of a row; `blocked` are the items that the models may not see."""

    @abstractmethod
    def conclude(self, ended: Sequence[tuple[Any, Any]]) -> None:
        """Store what the plans of some rows returned."""

    def refusal(self, row: Any, blocked: Collection[int]) -> str:
        """Return the code of the reason why a row must not be asked; "" if it may be."""
        if row.item_id in blocked:
            return "hidden"
        return "" if row.item.state == ItemState.ACTIVE else "excluded"

    def columns(self, call: Call) -> dict[str, Any]:
        """Return the columns of a raw call that say what was asked of its row."""
        return {"attempt": call.attempt}

    def parameters(self, spec: ModelSpec, call: Call) -> dict[str, Any]:
        """Return the decoding parameters of a call."""
        return epoch_parameters(spec.parameters, call.number)

    def calls_of_row(self) -> int:
        """Return how many calls a row takes if every answer can be used at once."""
        return 1

    def steps(self) -> tuple[str, ...]:
        """Return how the names of the steps begin that wait for each other, in their order."""
        return ("",)

    def run(self) -> dict[str, Any]:
        """Do the work; return the counts of rows, and whether the budget ended it."""
        reopen_rows(self.kind, self.started)
        counts = self._prepare()
        self.progress.start(sum(counts.values()) * self.calls_of_row(), done=self.done())
        is_complete = all(self._finish(rows) for rows in self._chunks())
        return self.result(is_budget_spent=not is_complete)

    def result(self, *, is_budget_spent: bool) -> dict[str, Any]:
        """Return what the job says of its rows when it ends."""
        return {
            f"{self.kind.name}_job": self.started.pk,
            **state_counts(self.rows.all()),
            "is_budget_spent": is_budget_spent,
        }

    @property
    def name(self) -> str:
        """What the ids of its calls in batch files begin with."""
        return f"{self.kind.name}-{self.started.pk}"

    @property
    def job(self) -> Job:
        return cast(Job, self.started.job)

    @property
    def project(self) -> Project:
        return cast(Project, self.started.project)

    @property
    def specs(self) -> Sequence[ModelSpec]:
        return cast(Sequence[ModelSpec], self.started.specs)

    @property
    def concurrency(self) -> int:
        return int(self.started.concurrency)

    def check_again(self) -> None:
        check_again(self.kind, self.started)

    def change_budget(self, budget: Decimal | None) -> None:
        change_budget(self.kind, self.started, budget)

    def standing(self) -> Standing:
        """Return how far the job is, and what it says when it ends if no row is open."""
        counts, most = state_counts(self.rows.all()), self.calls_of_row()
        answered = self.calls.objects.filter(ANSWERED, **{f"{self.row}__in": self.rows.all()})
        total = sum(counts.values()) * most
        result = None if counts[OPEN] else self.result(is_budget_spent=False)
        return Standing(done=min(total, answered.count()), total=total, result=result)

    def step(self) -> FileStep:
        """Return the step of the row that is furthest behind, counted by the steps that have an answer.

        Where an answer cannot be used, its step is asked again, in the next file.
        """
        steps = self.steps()
        waiting = (number for number, step in enumerate(steps, start=1) if self._waits_for(step))
        return FileStep(step=next(waiting, len(steps)), steps=len(steps))

    def _waits_for(self, step: str) -> bool:
        calls = self.calls.objects.filter(ANSWERED)
        if step:
            calls = calls.filter(step__startswith=step)
        answered = calls.filter(**{self.row: OuterRef("pk")})
        waiting: bool = self.rows.filter(~Exists(answered), state=OPEN).exists()
        return waiting

    def waves(self, *, is_reading: bool) -> Iterator["Wave"]:
        """Yield what each chunk waits for, without asking; rows conclude with what the caller stores.

        If it `is_reading`, nothing is written.
        """
        self.is_reading = is_reading
        if not is_reading:
            reopen_rows(self.kind, self.started)
        self.purse = Purse(None, Decimal(0), 0)  # a file is bounded before it is asked
        self.concluded = 0
        for rows in self._chunks():
            self._begin(rows)
            self._advance()
            for is_judge in (False, True):
                wave = Wave(self, is_judge=is_judge)
                if wave.calls:
                    yield wave
                    self._advance()

    def stored_keys(self) -> Iterator[Key]:
        """Yield the row, step and attempt of every stored answer."""
        for pk, answers in self._stored_answers(self.rows.all()).items():
            yield from ((pk, *key) for key in answers)

    def _prepare(self) -> dict[str, int]:
        """Count what was done and paid before; return the rows by state."""
        counts = state_counts(self.rows.all())
        self.purse = self.filled_purse()
        self.concluded = sum(counts.values()) - counts[OPEN]
        return counts

    def filled_purse(self) -> Purse:
        """Return the budget with what was paid before. Raises BudgetUnmeasured."""
        totals = self.totals()
        if self.started.budget is not None and totals.price is None:
            raise BudgetUnmeasured
        return Purse(self.started.budget, totals.price or Decimal(0), totals.calls)

    def done(self) -> int:
        """Return how many calls count as done: all of a concluded row, also those it did not need."""
        most = self.calls_of_row()
        left = (
            min(len(each.answers), most - len(each.unanswered())) for each in self.open.values()
        )
        return self.concluded * most + sum(left)

    def _chunks(self) -> Iterator[list[Any]]:
        last = 0
        left = (
            retried_rows(self.kind, self.started)
            if self.is_reading
            else self.rows.filter(state=OPEN)
        )
        rows = left.order_by("pk").select_related(*self.relations)
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            yield chunk
            last = chunk[-1].pk

    def _finish(self, rows: Sequence[Any]) -> bool:
        """Ask until every row of a chunk is concluded; return False if the budget ends before."""
        self._begin(rows)
        self._advance()
        while self.open:
            has_asked_all = self._ask()
            self._advance()
            if not has_asked_all and self.open:
                return False
        return True

    def _begin(self, rows: Sequence[Any]) -> None:
        """Make the plans of a chunk. An item that is hidden or excluded by now fails with that reason.

        Raises EndpointClosed or EndpointNotAllowed where an endpoint may no longer be called.
        """
        project, specs = self.started.project, self.started.specs
        for endpoint in Endpoint.objects.filter(pk__in={spec.endpoint_id for spec in specs}):
            check_usable(endpoint, project)
        blocked, stored = blocked_items(project, specs), self._stored_answers(rows)
        self.open = {}
        for row in rows:
            if code := self.refusal(row, blocked):
                self._fail(row, code, {})
                self.concluded += 1
            else:
                self.open[row.pk] = _Open(row, self.plan(row, blocked), stored.get(row.pk, {}))

    def _stored_answers(self, rows: Sequence[Any]) -> dict[int, dict[CallKey, Answer]]:
        """Return the stored answers to some rows, by row, step and attempt."""
        found: dict[int, dict[CallKey, Answer]] = {}
        calls = self.calls.objects.filter(**{f"{self.row}__in": rows}, state=CallState.ANSWERED)
        for call in calls.values(self.row, "text", "error", *self.key):
            key = call.get("step", ""), call["attempt"]
            found.setdefault(call[self.row], {})[key] = _answer(call["text"], call["error"])
        return found

    def _advance(self) -> None:
        """Continue every plan as far as its answers go, and forget the rows that are concluded."""
        ended: list[tuple[Any, Any]] = []
        left = {pk: each for pk, each in self.open.items() if not self._ends(each, ended)}
        if ended and not self.is_reading:
            self.conclude(ended)
        self.concluded += len(self.open) - len(left)
        self.open = left

    def _ends(self, each: _Open, ended: list[tuple[Any, Any]]) -> bool:
        """Give a plan what is answered, until it waits for a call; return whether it has ended.

        What it returned is added to `ended`. Where the endpoint gave no answer the row fails, and a
        resumed job asks it again.
        """
        if each.fault is not None:
            each.plan.close()
            self._fail(each.row, "endpoint", each.fault)
            return True
        try:
            if not each.calls:
                each.calls = next(each.plan)
            while not each.unanswered():
                each.calls = each.plan.send(each.answers)
        except StopIteration as returned:
            ended.append((each.row, returned.value))
        except Unusable as fault:
            self._fail(each.row, fault.code, fault.data)
        else:
            return False
        return True

    def _fail(self, row: Any, code: str, data: Mapping[str, Any]) -> None:
        if not self.is_reading:
            fail_row(self.kind, row, code, data)

    def _ask(self) -> bool:
        """Ask what the plans wait for, each call at its model; return False if the budget ends before."""
        for is_judge in (False, True):
            wave = Wave(self, is_judge=is_judge)
            if wave.calls:
                perform_batch(wave, wave.line(), progress=self.progress, done=self.done())
            if wave.is_cut:
                return False
        return True


class Wave:
    """The calls to one model that can be made now, as calls of a batch."""

    def __init__(self, work: AskingWork, *, is_judge: bool) -> None:
        self._work = work
        self.spec: ModelSpec = work.started.specs[-1 if is_judge else 0]
        self.calls: dict[Key, Call] = {
            (pk, *call.key): call
            for pk, each in work.open.items()
            for call in each.unanswered()
            if call.is_judge == is_judge
        }
        self.is_cut = False

    @property
    def keys(self) -> Collection[Key]:
        return self.calls.keys()

    def line(self) -> Line:
        return Line(
            endpoint=self.spec.endpoint,
            concurrency=self._work.started.concurrency,
            connect=self._work.connect,
            limits=self._work.limits,
        )

    def missing(self) -> Iterator[Sequence[Key]]:
        """Yield as many calls at once as the budget affords."""
        keys = list(self.calls)
        self.is_cut = not (yield from self._work.purse.shares(keys, self._work.started.concurrency))

    def request(self, key: Key) -> ChatRequest:
        call = self.calls[key]
        parameters = self._work.parameters(self.spec, call)
        return ChatRequest(self.spec.model, call.prompt.messages, parameters)

    def store(self, results: list[engine.Result[Key]], **columns: Any) -> None:
        """Insert the raw calls, and then give the answers to the plans; `columns` are set in each row."""
        row, table = f"{self._work.row}_id", self._work.calls
        calls = [self._call(result, columns) for result in results]
        asked = {getattr(call, row) for call in calls}
        stored = table.objects.filter(state=CallState.ANSWERED, **{f"{row}__in": asked})
        insert_missing(calls, stored=stored, key=(row, *self._work.key))
        for result, call in zip(results, calls, strict=True):
            self._note(result, call.text)

    def _call(self, result: engine.Result[Key], columns: Mapping[str, Any]) -> Any:
        is_answered = result.state == engine.ANSWERED
        return self._work.calls(
            **{f"{self._work.row}_id": result.key[0]},
            **self._work.columns(self.calls[result.key]),
            state=CallState.ANSWERED if is_answered else CallState.FAILED,
            **raw_call_columns(result),
            **columns,
        )

    def _note(self, result: engine.Result[Key], text: str) -> None:
        pk, step, attempt = result.key
        each = self._work.open[pk]
        if result.state != engine.ANSWERED:
            each.fault = {"fault": result.error}
        elif (step, attempt) not in each.answers:
            each.answers[step, attempt] = _answer(text, result.error)
            if not result.error:
                self._work.purse.pay(self.spec, result)


def _answer(text: str, error: str) -> Answer:
    """Return a stored answer; the error of one is the model's, which no other call mends."""
    return Unusable("no_answer", {"fault": error}) if error else text
