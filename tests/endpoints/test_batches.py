"""A batch of calls, keyed by whatever an app asks: resumed, stopped, and stopped by its endpoint."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from endpoints import engine
from endpoints.batches import Line, perform_batch
from endpoints.models import Endpoint
from endpoints.providers.base import ChatProvider, ChatReply, ChatRequest, EndpointBroken, Message
from endpoints.providers.recorded import NullProvider
from endpoints.stops import EndpointFailing
from jobs.actions import cancel_job
from jobs.models import Job
from jobs.progress import JobCancelled, Progress
from tests.evaluation.builders import NOW, QUICK
from tests.factories import EndpointFactory, JobFactory

pytestmark = pytest.mark.django_db


@dataclass
class Words:
    """Asks for a translation of each word, and keeps the answers by word and language."""

    words: Sequence[str]
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def missing(self) -> Iterator[Sequence[tuple[str, str]]]:
        for start in range(0, len(self.words), 2):
            chunk = self.words[start : start + 2]
            yield [(word, "bo") for word in chunk if (word, "bo") not in self.answers]

    def request(self, key: tuple[str, str]) -> ChatRequest:
        self.asked.append(key[0])
        return ChatRequest("m", (Message("user", key[0]),))

    def store(self, results: list[engine.Result[tuple[str, str]]]) -> None:
        self.answers |= {each.key: each.text for each in results if each.state == engine.ANSWERED}


@pytest.fixture
def endpoint() -> Endpoint:
    return EndpointFactory()


@pytest.fixture
def job() -> Job:
    return JobFactory(state="running", worker="w")


def line(endpoint: Endpoint, provider: ChatProvider) -> Line:
    return Line(endpoint=endpoint, concurrency=2, connect=lambda _each: provider, limits=QUICK)


def test_batch_asks_only_what_is_missing(endpoint: Endpoint, job: Job) -> None:
    calls = Words(["one", "two", "three"], {("two", "bo"): "གཉིས།"})
    echo = NullProvider(lambda request: request.messages[-1].content.upper())

    perform_batch(calls, line(endpoint, echo), progress=Progress(job.pk))

    assert calls.answers == {
        ("one", "bo"): "ONE", ("two", "bo"): "གཉིས།", ("three", "bo"): "THREE",
    }  # fmt: skip
    assert sorted(calls.asked) == ["one", "three"]


def test_batch_with_nothing_missing_connects_to_nobody(endpoint: Endpoint, job: Job) -> None:
    def refuse(_endpoint: Endpoint) -> ChatProvider:
        raise AssertionError("connected")

    calls = Words(["one"], {("one", "bo"): "གཅིག"})
    perform_batch(
        calls, Line(endpoint=endpoint, concurrency=1, connect=refuse), progress=Progress(job.pk)
    )
    assert calls.asked == []


@dataclass
class Breaking:
    """Answers `good` questions, then fails each."""

    good: int
    endpoint: str = "breaking"

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.good -= 1
        if self.good < 0:
            raise EndpointBroken("500", body="a hidden question")
        return ChatReply("A", "stop", request.model)

    async def aclose(self) -> None:
        """Nothing is open."""


def test_batch_stops_at_a_failing_endpoint_and_keeps_the_answers(
    endpoint: Endpoint, job: Job
) -> None:
    calls = Words([f"word {number}" for number in range(10)])

    with pytest.raises(EndpointFailing) as stop:
        perform_batch(calls, line(endpoint, Breaking(2)), progress=Progress(job.pk))

    assert len(calls.answers) == 2
    assert "HTTP 500" in str(stop.value)
    assert "hidden" not in str(stop.value)


def test_cancelled_batch_asks_no_further_chunk(endpoint: Endpoint, job: Job) -> None:
    calls = Words(["one", "two", "three"])
    cancel_job(job=job, actor=None, now=NOW)

    with pytest.raises(JobCancelled):
        perform_batch(calls, line(endpoint, NullProvider()), progress=Progress(job.pk))

    assert calls.asked == []
