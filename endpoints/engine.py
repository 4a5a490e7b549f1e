"""Puts many prompts to one endpoint: bounded concurrency, retries, stored batches, clean stops."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from threading import Event
from typing import Any, Generic, TypeVar

from endpoints.providers.base import (
    ChatProvider,
    ChatReply,
    ChatRequest,
    EndpointBusy,
    EndpointDenied,
    EndpointError,
    request_hash,
)
from endpoints.rate_limits import CALLER, Places, RateLimiter, Unlimited
from endpoints.threads import CallerThread, flag_on_sigterm

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)

ANSWERED = "answered"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Unit(Generic[Key]):
    """One question to ask; its key is unique in a run."""

    key: Key
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Result(Generic[Key]):
    """The outcome of a unit; `latency_ms` is of the last call.

    `state` is answered or failed. The `error` of an answer is the model's `fault`, which no further
    call would mend; the `error` of a failure is the endpoint's.
    """

    key: Key
    state: str
    text: str
    error: str
    reasoning: str
    refusal: str
    tool_calls: str
    body: str
    finish_reason: str
    endpoint_model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int
    try_count: int
    request_hash: str
    started_at: datetime
    finished_at: datetime


class Outcome(StrEnum):
    """Why a run ended; all but FINISHED leave units that a resume asks."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    TERMINATED = "terminated"
    ENDPOINT_FAILING = "endpoint-failing"
    ASKED_TO_WAIT = "asked-to-wait"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of stored results; `call_count` includes tries that brought nothing.

    `detail` names the error that ended the run, `said` is the beginning of what the endpoint sent.
    """

    outcome: Outcome
    detail: str
    answered_count: int
    failed_count: int
    call_count: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a run, times in seconds.

    `failing_calls`: so many calls in a row without one reply stop the run (429 does not count,
    a unit given up for 429 counts once). `longest_wait`: an endpoint that asks for more stops it.
    `grace`: what calls in flight get after a termination.
    """

    tries: int = 8
    backoff_base: float = 0.5
    backoff_cap: float = 30.0
    longest_wait: float = 300.0
    failing_calls: int = 50
    batch: int = 25
    flush_every: float = 2.0
    poll_every: float = 0.5
    grace: float = 8.0


@dataclass(frozen=True, slots=True)
class World:
    """Time and chance, so that tests can bring their own."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    uniform: Callable[[float, float], float] = random.uniform


Store = Callable[[list[Result[Any]]], None]
DEFAULT_LIMITS = Limits()
REAL_WORLD = World()


def run(
    units: Iterable[Unit[Any]],
    *,
    provider: ChatProvider,
    concurrency: int,
    store: Store,
    is_cancelled: Callable[[], bool],
    limits: Limits = DEFAULT_LIMITS,
    limiter: RateLimiter | None = None,
    places: Places | None = None,
    world: World = REAL_WORLD,
) -> Summary:
    """Do `run_units` from ordinary code and close the provider.

    The event loop lives in a thread of its own; `store` and `is_cancelled` are called in the
    calling thread, so they use its database connection. In the main thread SIGTERM means: no new
    calls, store what there is, return TERMINATED; the handler of before is called after that.
    """
    caller = CallerThread()
    with flag_on_sigterm() as terminated:

        async def main() -> Summary:
            try:
                return await run_units(
                    units, provider=provider, concurrency=concurrency, store=store,
                    is_cancelled=is_cancelled, executor=caller, terminated=terminated,
                    limits=limits, limiter=limiter, places=places, world=world,
                )  # fmt: skip
            finally:
                await provider.aclose()

        return caller.serve(lambda: asyncio.run(main()), on_interrupt=terminated.set)


async def run_units(
    units: Iterable[Unit[Any]],
    *,
    provider: ChatProvider,
    concurrency: int,
    store: Store,
    is_cancelled: Callable[[], bool],
    executor: Executor | None = None,
    terminated: Event | None = None,
    limits: Limits = DEFAULT_LIMITS,
    limiter: RateLimiter | None = None,
    places: Places | None = None,
    world: World = REAL_WORLD,
) -> Summary:
    """Ask every unit and store each result once, in batches; returns when all is stored.

    `units` is drawn lazily in the event loop: it must not touch the database. `store` and
    `is_cancelled` are called in `executor`, one `store` at a time; a batch counts as stored when
    `store` returns. A process that dies loses at most one batch and the calls in flight. After a
    stop, units without a reply have no result: give them again to resume. What `store` or `units`
    raises ends the run and is raised here, after one more attempt to store what is left; so make
    `store` safe to repeat by the key of the unit.
    """
    if concurrency < 1:
        raise ValueError("concurrency must be at least 1")
    state = _Run(
        units=iter(units), provider=provider, store=store, is_cancelled=is_cancelled,
        executor=executor, terminated=terminated or Event(), limits=limits,
        limiter=limiter or Unlimited(), places=places, world=world,
    )  # fmt: skip
    return await state.drive(concurrency)


@dataclass(slots=True)
class _Run:
    """The moving parts of one run; everything here happens in one event loop."""

    units: Iterator[Unit[Any]]
    provider: ChatProvider
    store: Store
    is_cancelled: Callable[[], bool]
    executor: Executor | None
    terminated: Event
    limits: Limits
    limiter: RateLimiter
    places: Places | None
    world: World
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    storing: asyncio.Lock = field(default_factory=asyncio.Lock)
    gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    change: asyncio.Event = field(default_factory=asyncio.Event)
    outcome: Outcome = Outcome.FINISHED
    detail: str = ""
    said: str = ""
    unsaved: list[Result[Any]] = field(default_factory=list)
    saved_at: float = 0.0
    counts: dict[str, int] = field(default_factory=lambda: {ANSWERED: 0, FAILED: 0})
    call_count: int = 0
    failing_calls: int = 0
    under_way: int = 0

    async def drive(self, concurrency: int) -> Summary:
        self.saved_at = self.world.monotonic()
        watch = asyncio.create_task(self._watch())
        workers = [asyncio.create_task(self._work()) for _ in range(concurrency)]
        try:
            await self._finish(workers, watch)
        finally:
            async with self.storing:  # nobody is cut off between storing a batch and noting it
                for task in (watch, *workers):
                    task.cancel()
            await asyncio.gather(watch, *workers, return_exceptions=True)
            await self._save(at_least=1)
        return Summary(
            self.outcome, self.detail, self.counts[ANSWERED], self.counts[FAILED], self.call_count,
            self.said,
        )  # fmt: skip

    async def _finish(self, workers: list[asyncio.Task[None]], watch: asyncio.Task[None]) -> None:
        waiting: set[asyncio.Task[None]] = {*workers, watch}
        while any(not task.done() for task in workers):
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            if self.outcome is Outcome.TERMINATED:
                await self._save(at_least=1)
                await asyncio.wait(workers, timeout=self.limits.grace)
                return

    async def _watch(self) -> None:
        while not self.stop.is_set():
            await self._pause(self.limits.poll_every)
            await self._look_for_places()
            if self.terminated.is_set():
                self._halt(Outcome.TERMINATED)
            elif await self._outside(self.is_cancelled):
                self._halt(Outcome.CANCELLED)
            elif self.world.monotonic() - self.saved_at >= self.limits.flush_every:
                await self._save(at_least=1)

    async def _look_for_places(self) -> None:
        if self.places is not None:
            await self._outside(self.places.look, self.under_way)
            self.change.set()

    async def _work(self) -> None:
        while not self.stop.is_set():
            unit = next(self.units, None)
            if unit is None:
                return
            result = await self._settle(unit)
            if result is not None:
                self.unsaved.append(result)
                await self._save(at_least=self.limits.batch)

    async def _settle(self, unit: Unit[Any]) -> Result[Any] | None:
        """Ask until there is a reply or no try is left; None when the run stopped before."""
        started_at = self.world.now()
        for try_count in range(1, self.limits.tries + 1):
            if not await self._admitted():
                return None
            began = self.world.monotonic()
            try:
                reply = await self._ask(unit.request)
            finally:
                self._leave_place()
            latency_ms = round((self.world.monotonic() - began) * 1000)
            if isinstance(reply, ChatReply):
                return self._result(unit, reply, ANSWERED, latency_ms, try_count, started_at)
            if isinstance(reply, EndpointDenied):
                self._halt(Outcome.DENIED, reply)
                return None
            if not reply.is_retryable or try_count == self.limits.tries:
                self._note_given_up(reply)
                failed = ChatReply("", fault=str(reply), body=reply.body)
                return self._result(unit, failed, FAILED, latency_ms, try_count, started_at)
            await self._back_off(reply, try_count)
        return None

    async def _admitted(self) -> bool:
        """Take a place and a turn, one worker at a time: many at once would only ask in vain.

        The answer is False if the run stopped before.
        """
        async with self.gate:
            await self._take_place()
            while not self.stop.is_set():
                wait = await self._limit(self.limiter.reserve, self.world.monotonic())
                if wait <= 0:
                    return True
                await self._pause(wait)
        self._leave_place()
        return False

    async def _take_place(self) -> None:
        """Wait for a place where they are limited, but not beyond a stop."""
        while self.places and self.under_way >= self.places.granted and not self.stop.is_set():
            self.change.clear()
            await self.change.wait()
        self.under_way += 1

    def _leave_place(self) -> None:
        self.under_way -= 1
        self.change.set()

    async def _ask(self, request: ChatRequest) -> ChatReply | EndpointError:
        self.call_count += 1
        try:
            reply = await self.provider.complete(request)
        except EndpointError as error:
            if not isinstance(error, EndpointBusy):
                self._note_failing(error)
            return error
        self.failing_calls = 0
        return reply

    def _note_given_up(self, error: EndpointError) -> None:
        if isinstance(error, EndpointBusy):
            self._note_failing(error)

    def _note_failing(self, error: EndpointError) -> None:
        self.failing_calls += 1
        if self.failing_calls >= self.limits.failing_calls:
            self._halt(Outcome.ENDPOINT_FAILING, error)

    async def _back_off(self, error: EndpointError, try_count: int) -> None:
        """Wait as told, for every worker, or else a random part of a doubling bound."""
        if error.retry_after is None:
            bound = self.limits.backoff_base * 2 ** (try_count - 1)
            await self._pause(self.world.uniform(0, min(bound, self.limits.backoff_cap)))
        elif error.retry_after > self.limits.longest_wait:
            self._halt(Outcome.ASKED_TO_WAIT, error)
        else:
            await self._limit(self.limiter.pause, error.retry_after, self.world.monotonic())

    async def _limit(self, function: Callable[..., T], *arguments: float) -> T:
        """Call the limiter in its thread."""
        if self.limiter.thread == CALLER:
            return await self._outside(function, *arguments)
        return function(*arguments)

    def _halt(self, outcome: Outcome, error: EndpointError | None = None) -> None:
        if not self.stop.is_set():
            self.outcome = outcome
            if error is not None:
                self.detail, self.said = str(error), error.body
            self.stop.set()
            self.change.set()

    async def _pause(self, seconds: float) -> None:
        """Sleep, but not beyond a stop."""
        sleep = asyncio.ensure_future(self.world.sleep(seconds))
        stop = asyncio.ensure_future(self.stop.wait())
        try:
            await asyncio.wait({sleep, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleep.cancel()
            stop.cancel()

    async def _save(self, *, at_least: int) -> None:
        """Store in batches while there are `at_least` results; a stored one leaves the list.

        Workers that come while a batch is being stored wait here, which bounds what a crash loses.
        """
        if len(self.unsaved) < at_least:
            return
        async with self.storing:
            while len(self.unsaved) >= at_least:
                batch = self.unsaved[: self.limits.batch]
                await self._outside(self.store, batch)
                del self.unsaved[: len(batch)]
                self.saved_at = self.world.monotonic()
                for result in batch:
                    self.counts[result.state] += 1

    def _outside(self, function: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self.executor, function, *arguments)

    def _result(
        self,
        unit: Unit[Any],
        reply: ChatReply,
        state: str,
        latency_ms: int,
        try_count: int,
        started_at: datetime,
    ) -> Result[Any]:
        return Result(
            key=unit.key,
            state=state,
            text=reply.text,
            error=reply.fault,
            reasoning=reply.reasoning,
            refusal=reply.refusal,
            tool_calls=reply.tool_calls,
            body=reply.body,
            finish_reason=reply.finish_reason,
            endpoint_model=reply.endpoint_model,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            latency_ms=latency_ms,
            try_count=try_count,
            request_hash=request_hash(self.provider.endpoint, unit.request),
            started_at=started_at,
            finished_at=self.world.now(),
        )
