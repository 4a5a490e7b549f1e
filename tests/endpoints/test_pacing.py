"""Processes without Redis keep one rate together: each takes its turns from a row."""

import threading
from collections.abc import Callable

import pytest
from django.db import connections

from endpoints.connections import limiter_of
from endpoints.models import EndpointPace
from endpoints.pacing import SharedPace
from endpoints.providers.base import EndpointBusy
from projects.models import Project
from tests.evaluation.builders import make_run, work_off
from tests.evaluation.results.test_answers import UIDS, Scripted
from tests.factories import EndpointFactory, ModelSpecFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
URL = "http://127.0.0.1:9/v1"


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


def processes(clock: Callable[[], float], rate: float, count: int = 2) -> list[SharedPace]:
    """What each of several processes has for one address."""
    return [SharedPace(URL, rate, clock) for _number in range(count)]


@pytest.mark.parametrize(
    ("rate", "step"), [(4.0, 0.05), (4.0, 0.11), (0.5, 0.25), (20.0, 0.03), (200.0, 0.01)]
)
def test_two_processes_together_keep_the_rate(rate: float, step: float) -> None:
    clock = Clock()
    paces = processes(clock, rate)
    seconds = 20 / min(rate, 1)
    taken = 0
    for _step in range(round(seconds / step)):
        for pace in paces:
            while pace.reserve(0) == 0:
                taken += 1
        clock.seconds += step
    lease = max(1, int(rate * 0.1))
    assert rate * seconds * 0.95 <= taken <= rate * seconds + lease


def test_process_that_has_no_turn_is_told_how_long_to_wait() -> None:
    clock = Clock()
    one, other = processes(clock, 4.0)
    assert one.reserve(0) == 0
    assert other.reserve(0) == pytest.approx(0.25)
    clock.seconds += 0.25
    assert other.reserve(0) == 0


def test_time_that_nobody_used_is_not_made_up_for() -> None:
    clock = Clock()
    one, other = processes(clock, 4.0)
    clock.seconds += 3600
    assert [one.reserve(0), other.reserve(0)] == [0, pytest.approx(0.25)]


def test_of_two_pauses_the_later_holds_for_every_process() -> None:
    clock = Clock()
    one, other = processes(clock, 4.0)
    one.pause(30.0, 0)
    other.pause(5.0, 0)
    assert [one.reserve(0), other.reserve(0)] == [pytest.approx(30.0), pytest.approx(30.0)]


def test_process_that_looked_before_another_took_the_turn_does_not_take_it_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = processes(Clock(), 4.0)
    stale = EndpointPace.objects.get(base_url=URL)
    assert other.reserve(0) == 0
    monkeypatch.setattr(EndpointPace.objects, "get", lambda **_wanted: stale)
    assert one.reserve(0) == 0.25


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_take_one_turn() -> None:
    clock = Clock()
    SharedPace(URL, 4.0, clock)
    start, waits = threading.Barrier(6), []

    def take() -> None:
        pace = SharedPace(URL, 4.0, clock)
        start.wait()
        waits.append(pace.reserve(0))
        connections.close_all()

    threads = [threading.Thread(target=take) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(waits), waits.count(0.0)) == (6, 1)


def test_endpoint_with_a_limit_has_a_pace_and_one_without_has_none(project: Project) -> None:
    limited = EndpointFactory(project=project, base_url=URL, requests_per_minute=240)
    assert limiter_of(limited) == SharedPace(URL, 4.0)
    limiter_of(EndpointFactory(project=project, base_url=f"{URL}/free"))
    assert EndpointPace.objects.count() == 1


def test_run_with_a_limit_heeds_a_pause_that_the_endpoint_asks_for(project: Project) -> None:
    endpoint = EndpointFactory(project=project, base_url=URL, requests_per_minute=60_000)
    run = make_run(project, spec=ModelSpecFactory(project=project, endpoint=endpoint))
    busy = EndpointBusy("429", retry_after=0.01)
    assert work_off(run, Scripted({UIDS[0]: busy})).state == "done"
    pace = EndpointPace.objects.get(base_url=URL)
    assert pace.paused_until.year > 2000
