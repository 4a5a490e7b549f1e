"""Work at one address shares the places there: never more calls at once, and none without its share."""

import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.db import connections
from hypothesis import given
from hypothesis import strategies as st

from endpoints.batches import Line, perform_batch
from endpoints.models import Endpoint, EndpointPlaces
from endpoints.places import HOLD_SECONDS, LOOK_SECONDS, ROUND_SECONDS, SharedPlaces, fair_shares
from endpoints.providers.recorded import NullProvider
from endpoints.providers.stand_in import Behaviour, StandIn
from endpoints.queries import endpoint_concurrency
from evaluation.models import ModelResponse
from jobs.processes import worker_name
from jobs.progress import Progress
from tests.endpoints.test_batches import Words
from tests.evaluation.builders import QUICK, make_release, make_run
from tests.evaluation.runs.test_actions import WORKER
from tests.factories import EndpointFactory, JobFactory, ModelSpecFactory, ProjectFactory
from tests.processes import start_python

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
URL = "http://127.0.0.1:9/v1"


@dataclass
class Work:
    """A piece of work that starts calls while it may, and what it has under way."""

    places: SharedPlaces
    under_way: int = 0
    begun: int = 0

    def step(self, luck: random.Random) -> None:
        self.under_way -= luck.randint(0, self.under_way)
        self.places.look(self.under_way)
        while self.under_way < self.places.granted:
            self.under_way += 1
            self.begun += 1


@dataclass
class Address:
    """An address with `limit` places, its clock, and the work at it."""

    limit: int | None
    seconds: float = 1_800_000_000.0
    works: list[Work] = field(default_factory=list)

    def join(self, wanted: int) -> Work:
        work = Work(SharedPlaces(URL, wanted, lambda: self.limit, lambda: self.seconds))
        self.works.append(work)
        return work

    def run(self, seconds: float, luck: random.Random, step: float = 0.5) -> None:
        for _step in range(round(seconds / step)):
            for work in luck.sample(self.works, len(self.works)):
                work.step(luck)
                assert self.limit is None or self.under_way() <= self.limit
            self.seconds += step

    def under_way(self) -> int:
        return sum(work.under_way for work in self.works)


@given(
    st.lists(st.integers(1, 64), min_size=1, max_size=8), st.integers(1, 100), st.integers(0, 99)
)
def test_shares_use_all_places_and_differ_by_one_at_most(
    wanted: list[int], most: int, first: int
) -> None:
    shares = fair_shares(wanted, most, first=first)

    assert sum(shares) == min(most, sum(wanted))
    assert all(share <= wish for share, wish in zip(shares, wanted, strict=True))
    unmet = [share for share, wish in zip(shares, wanted, strict=True) if share < wish]
    assert not unmet or max(shares) - min(unmet) <= 1


def test_work_that_is_alone_has_all_places_that_it_wants() -> None:
    address = Address(limit=8)
    address.join(wanted=64).step(random.Random(1))
    assert address.under_way() == 8

    address = Address(limit=8)
    EndpointPlaces.objects.all().delete()
    address.join(wanted=3).step(random.Random(1))
    assert address.under_way() == 3


def test_newcomer_gets_its_share_as_calls_of_others_end() -> None:
    luck, address = random.Random(2), Address(limit=8)
    first = address.join(wanted=8)
    address.run(5, luck)

    second = address.join(wanted=8)
    second.step(luck)
    assert second.under_way == 0
    address.run(5, luck)

    assert (first.places.granted, second.places.granted) == (4, 4)


def test_work_comes_and_goes_and_together_it_never_has_too_many_calls() -> None:
    luck, address = random.Random(3), Address(limit=7)
    for _round in range(12):
        address.join(wanted=luck.randint(1, 9))
        address.run(luck.randint(1, 20), luck)
        if len(address.works) > 4:
            gone = address.works.pop(luck.randrange(len(address.works)))
            gone.places.leave()

    address.seconds += ROUND_SECONDS - address.seconds % ROUND_SECONDS
    address.run(ROUND_SECONDS - 1, luck)
    assert sum(work.places.granted for work in address.works) == 7


def test_more_work_than_places_takes_turns() -> None:
    luck, address = random.Random(4), Address(limit=1)
    works = [address.join(wanted=4) for _number in range(3)]

    address.run(12 * ROUND_SECONDS, luck)

    begun = [work.begun for work in works]
    assert min(begun) > 0.5 * max(begun)


def test_places_of_a_killed_process_come_free_at_once_on_its_host_and_else_in_time() -> None:
    address = Address(limit=4)
    for holder in (_dead_process(), "elsewhere/1"):
        address.join(wanted=2).places.look(0)
        EndpointPlaces.objects.filter(holder=worker_name()).update(holder=holder)
    work = address.join(wanted=4)

    work.places.look(0)
    assert work.places.granted == 2
    address.seconds += HOLD_SECONDS + LOOK_SECONDS
    work.places.look(0)
    assert work.places.granted == 4
    assert EndpointPlaces.objects.count() == 1


def test_work_that_could_not_look_for_long_begins_no_call() -> None:
    address = Address(limit=4)
    work = address.join(wanted=4)
    work.places.look(0)
    address.seconds += HOLD_SECONDS
    assert work.places.granted == 0

    other = address.join(wanted=4)
    other.places.look(0)
    work.places.look(0)

    assert (work.places.granted, other.places.granted) == (0, 4)


def test_limit_that_is_lifted_or_set_holds_from_the_next_look() -> None:
    luck, address = random.Random(5), Address(limit=None)
    works = [address.join(wanted=6) for _number in range(2)]
    address.run(2, luck)
    assert (address.under_way(), EndpointPlaces.objects.count()) == (12, 0)

    address.limit = 4
    for _look in range(3):
        address.seconds += LOOK_SECONDS
        for work in works:
            work.under_way = 0
            work.places.look(0)
    assert [work.places.granted for work in works] == [2, 2]

    address.limit = None
    address.run(2, luck)
    assert (address.under_way(), EndpointPlaces.objects.count()) == (12, 0)


@pytest.mark.django_db(transaction=True)
def test_threads_that_come_at_once_get_no_more_than_there_is() -> None:
    start, granted = threading.Barrier(6), []

    def take() -> None:
        places = SharedPlaces(URL, 4, lambda: 8)
        start.wait()
        places.look(0)
        granted.append(places.granted)
        connections.close_all()

    threads = [threading.Thread(target=take) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(granted), sum(granted) <= 8, max(granted)) == (6, True, 4)


def test_smallest_limit_of_the_active_endpoints_at_an_address_applies() -> None:
    EndpointFactory(base_url=URL, concurrency=9)
    EndpointFactory(base_url=URL, concurrency=5)
    EndpointFactory(base_url=URL, concurrency=2, is_active=False)
    EndpointFactory(base_url=f"{URL}/other", concurrency=1)
    assert endpoint_concurrency(URL) == 5


def test_batch_gives_its_places_back() -> None:
    endpoint: Endpoint = EndpointFactory(base_url=URL, concurrency=1)
    calls = Words([f"word {number}" for number in range(9)])
    held: list[int] = []

    def connect(_endpoint: Endpoint) -> NullProvider:
        held.extend(EndpointPlaces.objects.values_list("held", flat=True))
        return NullProvider(lambda request: "A")

    line = Line(endpoint=endpoint, concurrency=4, connect=connect, limits=QUICK)
    perform_batch(calls, line, progress=Progress(JobFactory(state="running").pk))

    assert len(calls.answers) == 9
    assert set(held) == {1}
    assert EndpointPlaces.objects.count() == 0


class Counting(StandIn):
    """Counts how many calls it has at once; `most` is the most since somebody set it to 0."""

    most = 0

    def note(self, counter: Counter[str], prompt: str) -> int:
        count = super().note(counter, prompt)
        with self.lock:
            under_way = self.asked.total() - self.answered.total()
            self.most = max(self.most, under_way)
        return count

    def models(self) -> set[str]:
        with self.lock:
            return {prompt.partition("\n")[0] for prompt in self.asked}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_runs_keep_the_limit_together_and_a_killed_one_leaves_its_places_to_the_other() -> None:
    limit = 3
    server = Counting(Behaviour(delay=0.05))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    project = ProjectFactory(slug="ti", target_language="bo")
    endpoint = EndpointFactory(project=project, base_url=server.base_url, concurrency=limit)
    release = make_release(project, tests=150)
    runs = [
        make_run(
            project, release, concurrency=8, methods=("direct",),
            spec=ModelSpecFactory(project=project, endpoint=endpoint, model=model),
        )
        for model in ("stand-in-strong", "stand-in-weak")
    ]  # fmt: skip
    workers = [start_python(WORKER, run.pk) for run in runs]
    _wait_until(lambda: len(server.models()) == 2)

    workers[0].send_signal(signal.SIGKILL)
    workers[0].wait(60)
    most, server.most = server.most, 0
    _wait_until(lambda: server.most == limit)
    output, _nothing = workers[1].communicate(timeout=170)
    server.shutdown()
    server.server_close()

    assert (most, server.most) == (limit, limit)
    assert output.split()[:2] == ["ready", "done"]
    assert ModelResponse.objects.filter(run=runs[1], state="answered").count() == 300
    assert EndpointPlaces.objects.count() == 0


def _dead_process() -> str:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{socket.gethostname()}/{process.pid}"


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
