"""The work of a screening job: ask each question, store the answer raw, and read it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from annotation.asking.actions import fail_row, reopen_rows
from annotation.asking.queries import blocked_items, state_counts
from annotation.enums import CallState, ItemState, OpinionState
from annotation.models import Opinion, ScreeningCall, ScreeningJob
from annotation.screening.actions import SCREENING, give_opinion
from annotation.screening.queries import totals_of
from annotation.screening.screens import ask, ask_again, fault_text, read_opinion
from annotation.translating.briefs import text_of
from annotation.translating.texts import Unusable
from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.budgets import Purse
from endpoints.connections import check_usable
from endpoints.connections import connect as connect_to
from endpoints.models import Endpoint
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatRequest, Message
from endpoints.raw_calls import raw_call_columns
from jobs.models import Job
from jobs.progress import Progress

CHUNK: Final = 200
TRIES: Final = 3
Key = tuple[int, int]
"""The id of an opinion, and an attempt from 1."""


def perform_screening(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a screening job; return its counts, and whether the budget ended it.

    Running this again after a stop asks no stored answer again, because there can be only one for
    each (opinion, attempt).
    """
    started = SCREENING.jobs.get(job=job)
    reopen_rows(SCREENING, started)
    is_budget_spent = not _Work(started, progress, connect, limits).run()
    return {
        "screening_job": started.pk,
        **state_counts(started.opinions.all()),
        "is_budget_spent": is_budget_spent,
    }


@dataclass(slots=True)
class _Open:
    """A question in progress: its messages, and how many times it has been asked."""

    opinion: Opinion
    messages: tuple[Message, ...]
    attempt: int = 1
    answer: str | None = None
    fault: Mapping[str, Any] | None = None

    def advance(self, stored: Mapping[Key, str]) -> bool:
        """Read the answer of this attempt and of stored ones; return whether the question is concluded."""
        while True:
            answer = self.answer
            if answer is None:
                answer = stored.get((self.opinion.pk, self.attempt))
            if answer is None:
                return False
            self.answer = None
            if self._reads(answer):
                return True

    def _reads(self, answer: str) -> bool:
        item = self.opinion.item
        try:
            read = read_opinion(
                self.opinion.screen, answer, key=item.key, option_count=len(item.options)
            )
        except Unusable as fault:
            if self.attempt == TRIES:
                fail_row(SCREENING, self.opinion, fault.code, fault.data)
                return True
            words = fault_text(fault.code, fault.data)
            self.messages = ask_again(self.messages, answer, words)
            self.attempt += 1
            return False
        give_opinion(opinion=self.opinion, read=read)
        return True


@dataclass(slots=True)
class _Work:
    """One attempt at a job; it asks one chunk of questions at a time, and is the batch's `Calls`."""

    started: ScreeningJob
    progress: Progress
    connect: Connect
    limits: engine.Limits
    concluded: int = 0
    open: dict[int, _Open] = field(default_factory=dict)
    is_cut: bool = False
    purse: Purse = field(init=False)

    def run(self) -> bool:
        """Return whether every question is concluded; if not, the budget is spent."""
        spent = totals_of(self.started)
        self.purse = Purse(self.started.budget, spent.price or Decimal(0), spent.calls)
        counts = state_counts(self.started.opinions.all())
        self.concluded = sum(counts.values()) - counts[OpinionState.OPEN]
        self.progress.start(sum(counts.values()), done=self.concluded)
        return all(self._finish(rows) for rows in self._chunks())

    def missing(self) -> Iterator[Sequence[Key]]:
        """Yield as many questions at once as the budget affords."""
        keys = [(pk, each.attempt) for pk, each in self.open.items()]
        while keys:
            count = self.purse.affords(len(keys), self.started.concurrency)
            if not count:
                self.is_cut = True
                return
            yield keys[:count]
            keys = keys[count:]

    def request(self, key: Key) -> ChatRequest:
        spec = self.started.model_spec
        messages = self.open[key[0]].messages
        return ChatRequest(spec.model, messages, epoch_parameters(spec.parameters, 1))

    def store(self, results: list[engine.Result[Key]]) -> None:
        """Insert the raw calls, and then keep the answers for reading."""
        rows = [_row(result) for result in results]
        stored = ScreeningCall.objects.filter(
            state=CallState.ANSWERED, opinion__in={row.opinion_id for row in rows}
        )
        insert_missing(rows, stored=stored, key=("opinion_id", "attempt"))
        for result, row in zip(results, rows, strict=True):
            question = self.open[row.opinion_id]
            if result.error:
                question.fault = {"fault": result.error}
            elif question.answer is None:
                question.answer = row.text
                self.purse.pay(self.started.model_spec, result)

    def _chunks(self) -> Iterator[list[Opinion]]:
        last = 0
        rows = self.started.opinions.filter(state=OpinionState.OPEN).order_by("pk")
        rows = rows.select_related("item", "revision", "prompt_template")
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            yield chunk
            last = chunk[-1].pk

    def _finish(self, rows: Sequence[Opinion]) -> bool:
        """Ask until every question of a chunk is concluded; return False if the budget ends before."""
        stored = self._begin(rows)
        self._advance(stored)
        while self.open:
            line = Line(
                endpoint=self.started.model_spec.endpoint,
                concurrency=self.started.concurrency,
                connect=self.connect,
                limits=self.limits,
            )
            perform_batch(self, line, progress=self.progress, done=self.concluded)
            self._advance({})
            if self.is_cut and self.open:
                return False
        return True

    def _begin(self, rows: Sequence[Opinion]) -> dict[Key, str]:
        """Word the questions of a chunk and return the stored answers to them.

        An item that is hidden or excluded by now has no opinion, with that reason. Raises
        EndpointClosed or EndpointNotAllowed where the endpoint may no longer be called.
        """
        spec = self.started.model_spec
        check_usable(Endpoint.objects.get(pk=spec.endpoint_id), self.started.project)
        blocked = blocked_items(self.started.project, [spec])
        self.open = {}
        for row in rows:
            if row.item_id in blocked or row.item.state != ItemState.ACTIVE:
                code = "hidden" if row.item_id in blocked else "excluded"
                fail_row(SCREENING, row, code, {})
                self.concluded += 1
                continue
            self.open[row.pk] = _Open(row, _messages(row))
        calls = ScreeningCall.objects.filter(opinion__in=rows, state=CallState.ANSWERED)
        return {(pk, n): text for pk, n, text in calls.values_list("opinion", "attempt", "text")}

    def _advance(self, stored: Mapping[Key, str]) -> None:
        """Read what is answered, and forget the questions that are concluded."""
        left: dict[int, _Open] = {}
        for pk, question in self.open.items():
            if question.fault is not None:
                fail_row(SCREENING, question.opinion, "endpoint", question.fault)
            elif not question.advance(stored):
                left[pk] = question
        self.concluded += len(self.open) - len(left)
        self.open = left


def _messages(opinion: Opinion) -> tuple[Message, ...]:
    source = text_of(opinion.item)
    if opinion.revision is None:
        return ask(opinion.screen, opinion.prompt_template.frame, text=source, source=None)
    text = text_of(opinion.revision)
    return ask(opinion.screen, opinion.prompt_template.frame, text=text, source=source)


def _row(result: engine.Result[Key]) -> ScreeningCall:
    opinion, attempt = result.key
    is_answered = result.state == engine.ANSWERED
    return ScreeningCall(
        opinion_id=opinion,
        attempt=attempt,
        state=CallState.ANSWERED if is_answered else CallState.FAILED,
        **raw_call_columns(result),
    )
