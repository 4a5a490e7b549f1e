"""The engine asks each unit until there is an answer, stores in batches and stops cleanly."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from endpoints.engine import Limits, Outcome, Result, Summary, Unit, World, run, run_units
from endpoints.providers.base import (
    ChatProvider,
    ChatReply,
    ChatRequest,
    EndpointBroken,
    EndpointBusy,
    EndpointRefused,
    EndpointUnreachable,
    Message,
    request_hash,
)
from endpoints.providers.http_calls import Timeouts
from endpoints.providers.openai_compatible import OpenAICompatible
from endpoints.providers.recorded import NullProvider, RecordedProvider
from endpoints.providers.stand_in import Behaviour, StandIn
from endpoints.rate_limits import Unlimited

ROOT = Path(__file__).resolve().parents[2]
MOMENT = datetime(2026, 11, 20, tzinfo=UTC)
QUICK = Limits(backoff_base=0.001, backoff_cap=0.005, poll_every=0.02, flush_every=0.05)


def unit(item: int, epoch: int = 1) -> Unit:
    content = f"Question {item} of {epoch}?\n\nA. yes\nB. no"
    return Unit((item, epoch), ChatRequest("stand-in-strong", (Message("user", content),)))


def never() -> bool:
    return False


@dataclass
class Shelf:
    """Keeps batches and refuses a result it already has, like the table's unique key."""

    batches: list[list[Result]] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def store(self, batch: list[Result]) -> None:
        for result in batch:
            key = result.key
            assert key not in self.seen
            self.seen.add(key)
        self.batches.append(batch)

    @property
    def results(self) -> list[Result]:
        return [result for batch in self.batches for result in batch]


@dataclass
class Sleeper:
    """A clock that jumps; `slept` are the waits that were asked for."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        if seconds >= 100_000:
            await asyncio.Event().wait()
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def world(self) -> World:
        return World(
            now=lambda: MOMENT,
            monotonic=lambda: self.now,
            sleep=self.sleep,
            uniform=lambda low, high: high,
        )


class Spaced(Unlimited):
    """Let one call pass every half second, and count how often it was asked."""

    asked = 0
    next_at = 0.0

    def reserve(self, now: float) -> float:
        self.asked += 1
        if now < self.next_at:
            return self.next_at - now
        self.next_at = now + 0.5
        return 0.0


UNPOLLED = Limits(poll_every=100_000)


def ask(
    units: list[Unit], provider: ChatProvider, shelf: Shelf, limits: Limits = QUICK, **more: object
) -> Summary:
    arguments = {"concurrency": 8, "is_cancelled": never} | more
    return run(units, provider=provider, store=shelf.store, limits=limits, **arguments)  # type: ignore[arg-type]


@pytest.fixture
def serve() -> Iterator[Callable[..., StandIn]]:
    servers: list[StandIn] = []

    def start(**behaviour: object) -> StandIn:
        server = StandIn(Behaviour(**behaviour))  # type: ignore[arg-type]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_run_with_every_kind_of_answer_keeps_what_the_endpoint_said() -> None:
    reply = ChatReply("B", "stop", "real-model-7", 11, 2, "Hm.", body='{"choices"')
    shelf, asked = Shelf(), unit(5, 3)
    provider = RecordedProvider.of([(asked.request, reply)])

    summary = ask([asked], provider, shelf, UNPOLLED, world=Sleeper().world())

    assert summary == Summary(Outcome.FINISHED, "", 1, 0, 1)
    assert shelf.results == [
        Result(
            key=(5, 3),
            state="answered",
            text="B",
            error="",
            reasoning="Hm.",
            refusal="",
            tool_calls="",
            body='{"choices"',
            finish_reason="stop",
            endpoint_model="real-model-7",
            prompt_tokens=11,
            completion_tokens=2,
            latency_ms=0,
            try_count=1,
            request_hash=request_hash("recorded", asked.request),
            started_at=MOMENT,
            finished_at=MOMENT,
        )
    ]


@pytest.mark.parametrize("count", [0, 1, 25, 26, 60])
def test_run_of_any_size_stores_each_result_once_in_batches(count: int) -> None:
    shelf = Shelf()

    summary = ask([unit(n) for n in range(count)], NullProvider(), shelf)

    assert summary.answered_count == len(shelf.seen) == count
    assert all(len(batch) <= QUICK.batch for batch in shelf.batches)


def test_run_draws_units_lazily_so_memory_does_not_grow() -> None:
    shelf, ahead = Shelf(), []

    def units() -> Iterator[Unit]:
        for number in range(200):
            ahead.append(number - len(shelf.seen))
            yield unit(number)

    ask(units(), NullProvider(), shelf)  # type: ignore[arg-type]

    assert max(ahead) <= QUICK.batch + 8


def test_retry_without_a_hint_doubles_the_bound_up_to_the_cap() -> None:
    clock, shelf = Sleeper(), Shelf()
    provider = RecordedProvider.of([(unit(1).request, EndpointBroken("500"))])
    limits = Limits(backoff_base=1, backoff_cap=20, poll_every=100_000)

    summary = ask([unit(1)], provider, shelf, limits, world=clock.world())

    assert clock.slept == [1, 2, 4, 8, 16, 20, 20]
    assert summary == Summary(Outcome.FINISHED, "", 0, 1, 8)
    assert (shelf.results[0].state, shelf.results[0].try_count) == ("failed", 8)
    assert shelf.results[0].error == "endpoint-broken: 500"


def test_retry_after_is_waited_by_every_worker() -> None:
    clock, shelf = Sleeper(), Shelf()
    busy = EndpointBusy("429", retry_after=7.0)
    provider = RecordedProvider.of(
        [(unit(1).request, busy), (unit(1).request, ChatReply("A"))]
        + [(unit(2).request, ChatReply("B"))]
    )

    summary = ask([unit(1), unit(2)], provider, shelf, UNPOLLED, world=clock.world(), concurrency=1)

    assert clock.slept == [7.0]
    assert summary == Summary(Outcome.FINISHED, "", 2, 0, 3)


def test_endpoint_that_asks_for_a_day_stops_the_run_in_words() -> None:
    busy = EndpointBusy("429 quota", retry_after=86_400)
    provider = RecordedProvider.of([(unit(1).request, busy)])
    shelf = Shelf()

    summary = ask([unit(1)], provider, shelf)

    assert summary == Summary(Outcome.ASKED_TO_WAIT, "endpoint-busy: 429 quota", 0, 0, 1)
    assert shelf.results == []


def test_refusal_fails_at_once_with_its_reason() -> None:
    provider = RecordedProvider.of([(unit(1).request, EndpointRefused("400 too long"))])
    shelf = Shelf()

    ask([unit(1)], provider, shelf)

    result = shelf.results[0]
    assert (result.state, result.try_count) == ("failed", 1)
    assert result.error == "endpoint-refused: 400 too long"


def test_dead_endpoint_stops_the_run_and_leaves_the_rest_to_a_resume() -> None:
    units = [unit(n) for n in range(500)]
    good = [(one.request, ChatReply("A")) for one in units[:30]]
    bad = [(one.request, EndpointUnreachable("gone")) for one in units[30:]]
    shelf = Shelf()

    summary = ask(units, RecordedProvider.of([*good, *bad]), shelf, concurrency=4)

    assert summary.outcome is Outcome.ENDPOINT_FAILING
    assert summary.detail == "endpoint-unreachable: gone"
    assert summary.answered_count == 30
    assert summary.call_count <= 30 + QUICK.failing_calls + 4
    assert summary.failed_count + summary.answered_count == len(shelf.seen) < 50


def test_busy_endpoint_does_not_count_as_dead() -> None:
    units = [unit(n) for n in range(60)]
    records = [(one.request, EndpointBusy("429")) for one in units]
    answers = [(one.request, ChatReply("A")) for one in units]

    summary = ask(units, RecordedProvider.of([*records, *answers]), Shelf())

    assert (summary.outcome, summary.answered_count) == (Outcome.FINISHED, 60)


def test_cancel_lets_calls_in_flight_finish_and_stores_them(serve: Callable[..., StandIn]) -> None:
    server, shelf = serve(delay=0.05), Shelf()

    def is_cancelled() -> bool:
        return sum(server.asked.values()) > 20

    summary = ask(
        [unit(n) for n in range(500)], OpenAICompatible(server.base_url), shelf,
        is_cancelled=is_cancelled,
    )  # fmt: skip

    assert summary.outcome is Outcome.CANCELLED
    assert sum(server.answered.values()) == len(shelf.seen) == summary.answered_count < 500


def test_cancel_during_a_long_back_off_does_not_wait_for_it() -> None:
    provider = RecordedProvider.of([(unit(1).request, EndpointBusy("429", retry_after=200))])
    shelf, began = Shelf(), time.monotonic()

    summary = ask([unit(1)], provider, shelf, is_cancelled=lambda: time.monotonic() - began > 0.1)

    assert (summary.outcome, shelf.results) == (Outcome.CANCELLED, [])
    assert time.monotonic() - began < 100  # of the 200 seconds that the endpoint asks for


def test_slow_results_are_stored_before_a_batch_is_full(serve: Callable[..., StandIn]) -> None:
    server, shelf, sizes = serve(delay=0.15), Shelf(), []

    def store(batch: list[Result]) -> None:
        sizes.append(len(batch))
        shelf.store(batch)

    run(
        [unit(n) for n in range(6)], provider=OpenAICompatible(server.base_url), concurrency=1,
        store=store, is_cancelled=never, limits=QUICK,
    )  # fmt: skip

    assert sum(sizes) == 6
    assert len(sizes) >= 2


def test_store_and_cancel_are_called_in_the_calling_thread() -> None:
    threads: set[int] = set()

    def is_cancelled() -> bool:
        threads.add(threading.get_ident())
        return False

    run(
        [unit(1)], provider=NullProvider(), concurrency=1, is_cancelled=is_cancelled, limits=QUICK,
        store=lambda batch: threads.add(threading.get_ident()),
    )  # fmt: skip

    assert threads == {threading.get_ident()}


def test_store_that_fails_ends_the_run_with_its_error() -> None:
    def store(batch: list[Result]) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run(
            [unit(n) for n in range(300)], provider=NullProvider(), concurrency=4,
            store=store, is_cancelled=never, limits=QUICK,
        )  # fmt: skip


def test_units_that_fail_end_the_run_and_keep_the_results_of_before() -> None:
    shelf = Shelf()

    def units() -> Iterator[Unit]:
        yield from (unit(n) for n in range(10))
        raise LookupError("no such item")

    with pytest.raises(LookupError, match="no such item"):
        ask(units(), NullProvider(), shelf)  # type: ignore[arg-type]

    assert len(shelf.seen) == 10


def test_interrupted_caller_stores_what_there_is(serve: Callable[..., StandIn]) -> None:
    server, shelf = serve(delay=0.02), Shelf()
    provider = OpenAICompatible(server.base_url)

    def interrupt_at_work() -> None:
        while len(server.answered) < 10:  # not a loop over it: the server's threads write to it
            time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)

    # Whatever ran before in this process may have left SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            threading.Thread(target=interrupt_at_work, daemon=True).start()
            ask([unit(n) for n in range(2000)], provider, shelf, concurrency=2)
    finally:
        signal.signal(signal.SIGINT, before)

    assert 10 <= len(shelf.seen) == sum(server.answered.values()) < 2000


def test_concurrency_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="concurrency"):
        asyncio.run(
            run_units(
                [], provider=NullProvider(), concurrency=0, store=Shelf().store, is_cancelled=never
            )
        )


@pytest.mark.parametrize("kind", ["busy", "broken", "disconnect", "garbage"])
def test_run_over_a_faulty_endpoint_ends_with_every_answer(
    serve: Callable[..., StandIn], kind: str
) -> None:
    server, shelf = serve(faults={kind: 0.3}, fault_tries=2), Shelf()
    units = [unit(n, epoch) for n in range(40) for epoch in (1, 2)]

    summary = ask(units, OpenAICompatible(server.base_url), shelf, concurrency=4)

    faulty = {text: n for text, n in server.asked.items() if n > 1}
    assert summary.outcome is Outcome.FINISHED
    assert summary.answered_count == 80
    assert 5 < len(faulty) < 60
    assert set(faulty.values()) == {3}
    assert sorted({result.try_count for result in shelf.results}) == [1, 3]
    assert set(server.answered.values()) == {1}


def test_call_beyond_its_time_is_tried_again(serve: Callable[..., StandIn]) -> None:
    server, shelf = serve(faults={"slow": 1.0}, slow_seconds=4.0), Shelf()
    # The second try answers at once; a second is long enough for that on a busy machine.
    provider = OpenAICompatible(server.base_url, timeouts=Timeouts(total=1.0))

    summary = ask([unit(1)], provider, shelf)

    assert (summary.answered_count, summary.call_count) == (1, 2)


def test_limiter_spaces_the_calls() -> None:
    clock, shelf = Sleeper(), Shelf()

    summary = ask(
        [unit(n) for n in range(11)], NullProvider(), shelf, UNPOLLED, world=clock.world(),
        limiter=Spaced(), concurrency=1,
    )  # fmt: skip

    assert summary.answered_count == 11
    assert clock.now == pytest.approx(5.0)


def test_workers_wait_for_the_limiter_one_at_a_time() -> None:
    clock, shelf, bucket = Sleeper(), Shelf(), Spaced()

    ask(
        [unit(n) for n in range(11)], NullProvider(), shelf, UNPOLLED, world=clock.world(),
        limiter=bucket, concurrency=8,
    )  # fmt: skip

    assert clock.now == pytest.approx(5.0)
    assert bucket.asked <= 2 * 11


@dataclass
class Few:
    """Places that somebody else shares: the next of `shares` is granted with each look."""

    shares: list[int]
    granted: int = 0
    looks: list[int] = field(default_factory=list)

    def look(self, under_way: int) -> None:
        self.looks.append(under_way)
        self.granted = self.shares.pop(0) if self.shares else self.granted


@dataclass
class AtOnce:
    """Answers after a while, and knows the most calls that it had at once."""

    endpoint: str = "at-once"
    under_way: int = 0
    most: int = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.002)
        self.under_way -= 1
        return ChatReply("A", "stop", request.model)

    async def aclose(self) -> None:
        """Nothing is open."""


def test_calls_wait_for_a_place_and_are_never_more_than_there_are() -> None:
    places, provider = Few([0, 0, 3]), AtOnce()

    summary = ask([unit(n) for n in range(60)], provider, Shelf(), places=places)

    assert (summary.answered_count, provider.most) == (60, 3)
    assert (places.looks[:3], max(places.looks) <= 3) == ([0, 0, 0], True)


def test_run_without_a_place_can_be_stopped() -> None:
    places = Few([])
    summary = ask(
        [unit(1)], NullProvider(), Shelf(), places=places, is_cancelled=lambda: bool(places.looks)
    )
    assert (summary.outcome, summary.call_count) == (Outcome.CANCELLED, 0)


RUNNER = textwrap.dedent(
    """
    import sqlite3, sys
    from endpoints.engine import Limits, Unit, run
    from endpoints.providers.base import ChatRequest, Message
    from endpoints.providers.openai_compatible import OpenAICompatible

    url, path, total = sys.argv[1], sys.argv[2], int(sys.argv[3])
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("create table if not exists response (item int, epoch int, primary key (item, epoch))")
    done = set(db.execute("select item, epoch from response"))

    def store(batch):
        db.execute("begin immediate")
        db.executemany("insert into response values (?, ?)", [r.key for r in batch])
        db.execute("commit")

    def units():
        for n in range(total):
            if (n, 1) not in done:
                yield Unit((n, 1), ChatRequest("stand-in-strong", (Message("user", f"Question {n}?"),)))

    print("ready", flush=True)
    summary = run(units(), provider=OpenAICompatible(url), concurrency=4, store=store,
                  is_cancelled=lambda: False, limits=Limits())
    print(summary.outcome.value, flush=True)
    """
)


def start_runner(server: StandIn, path: Path, total: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUNNER, server.base_url, str(path), str(total)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def stored_items(path: Path) -> set[int]:
    code = (
        "import json,sqlite3,sys;"
        "print(json.dumps([r[0] for r in sqlite3.connect(sys.argv[1]).execute('select item from response')]))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    return set(json.loads(out.stdout))


def wait_for_calls(server: StandIn, count: int) -> None:
    deadline = time.monotonic() + 120
    while sum(server.answered.values()) < count:
        assert time.monotonic() < deadline, "the runner does not ask"
        time.sleep(0.005)


@pytest.mark.slow
def test_kill_loses_at_most_one_batch_and_resume_asks_exactly_the_missing(
    serve: Callable[..., StandIn], tmp_path: Path
) -> None:
    server, path, total = serve(delay=0.005), tmp_path / "r.sqlite3", 400
    runner = start_runner(server, path, total)
    wait_for_calls(server, 130)

    runner.kill()
    runner.communicate()
    time.sleep(0.1)
    answered, stored = sum(server.answered.values()), stored_items(path)

    assert 130 <= answered < total
    assert answered - len(stored) <= 25 + 4
    server.asked.clear()
    out, _ = start_runner(server, path, total).communicate(timeout=170)
    assert out.split() == ["ready", "finished"]
    missing = {f"stand-in-strong\nQuestion {n}?": 1 for n in range(total) if n not in stored}
    assert dict(server.asked) == missing
    assert stored_items(path) == set(range(total))


@pytest.mark.slow
def test_sigterm_loses_nothing_and_resume_asks_exactly_the_missing(
    serve: Callable[..., StandIn], tmp_path: Path
) -> None:
    server, path, total = serve(delay=0.01), tmp_path / "r.sqlite3", 600
    runner = start_runner(server, path, total)
    wait_for_calls(server, 60)

    runner.send_signal(signal.SIGTERM)
    out, _ = runner.communicate(timeout=120)
    answered, stored = sum(server.answered.values()), stored_items(path)

    assert out.split() == ["ready", "terminated"]
    assert 60 <= answered == len(stored) < total
    start_runner(server, path, total).communicate(timeout=170)
    assert set(server.answered.values()) == {1}
    assert stored_items(path) == set(range(total))
