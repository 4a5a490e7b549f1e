"""A state moves only along its table, and of two movers at once one wins."""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from common.db import (
    Lines,
    UtcDay,
    UtcMonth,
    UtcText,
    bounded_pk,
    move,
    sources_of,
)
from common.errors import DomainError
from jobs.enums import JOB_TRANSITIONS, JobState
from jobs.models import Job
from tests.factories import JobFactory

pytestmark = pytest.mark.both_databases

THREADS = 8


class NotMovable(DomainError):
    code = "not_movable"


def rows(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk)


def change(job: Job, to: str, **changes: Any) -> int:
    return move(rows(job), to=to, transitions=JOB_TRANSITIONS, refusal=NotMovable, **changes)


def test_sources_of_lists_the_states_that_may_reach_the_target() -> None:
    table = {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset({"b"})}
    assert sources_of("b", table) == ["a", "c"]
    assert sources_of("a", table) == []


@pytest.mark.django_db
def test_move_follows_the_table_for_every_pair() -> None:
    for start, end in product(JobState, JobState):
        job, is_allowed = JobFactory(state=start), end in JOB_TRANSITIONS[start]
        with nullcontext() if is_allowed else pytest.raises(NotMovable):
            assert change(job, end) == 1, (start, end)
        assert rows(job).get().state == (end if is_allowed else start), (start, end)


@pytest.mark.django_db
def test_move_writes_its_changes_in_the_same_update(django_assert_num_queries: Any) -> None:
    job, now = JobFactory(state=JobState.RUNNING), timezone.now()
    with django_assert_num_queries(1):
        change(job, JobState.DONE, finished_at=now, note_code="all-read")
    moved = rows(job).get()
    assert (moved.state, moved.finished_at, moved.note_code) == (JobState.DONE, now, "all-read")


@pytest.mark.django_db
def test_move_of_several_rows_moves_those_that_may() -> None:
    for state in (JobState.QUEUED, JobState.QUEUED, JobState.DONE):
        JobFactory(state=state)
    moved = move(
        Job.objects.all(), to=JobState.RUNNING, transitions=JOB_TRANSITIONS, refusal=NotMovable
    )
    assert moved == 2
    assert Job.objects.filter(state=JobState.DONE).count() == 1


@pytest.mark.django_db(transaction=True)
def test_move_by_many_at_once_lets_one_win() -> None:
    job = JobFactory(state=JobState.QUEUED)
    barrier, won, refused = threading.Barrier(THREADS), [], []

    def run() -> None:
        try:
            barrier.wait(timeout=120)
            won.append(change(job, JobState.RUNNING))
        except NotMovable:
            refused.append(1)
        finally:
            connection.close()

    run_all([run] * THREADS)
    assert (len(won), len(refused)) == (1, THREADS - 1)


def run_all(bodies: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=170)
    assert not any(thread.is_alive() for thread in threads)


def test_bounded_pk_keeps_ids_and_makes_absurd_ones_findable() -> None:
    assert [bounded_pk(pk) for pk in (0, 7, 2**62, 2**63, 10**30)] == [0, 7, 2**62, 2**62, 2**62]


@pytest.mark.django_db
def test_among_finds_the_rows_of_many_ids() -> None:
    jobs = [JobFactory() for _ in range(3)]
    wanted = [jobs[0].pk, jobs[2].pk, 2**40]
    found = Job.objects.filter(pk__among=wanted).order_by("pk")
    assert list(found) == [jobs[0], jobs[2]]
    assert not Job.objects.filter(pk__among=[]).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("microsecond", "fraction"), [(0, {"", ".000000"}), (72_650, {".072650"})])
def test_utc_text_is_the_time_in_utc(microsecond: int, fraction: set[str]) -> None:
    east = timezone.get_fixed_timezone(480)
    at = datetime(2026, 11, 20, 12, 30, 5, microsecond, tzinfo=east)
    JobFactory(created_at=at)
    (text,) = Job.objects.values_list(UtcText("created_at"), flat=True)
    assert text.startswith("2026-11-20 04:30:05")
    assert text.removeprefix("2026-11-20 04:30:05") in fraction


@pytest.mark.django_db
def test_months_and_days_of_times_are_those_of_utc() -> None:
    east = timezone.get_fixed_timezone(480)
    JobFactory(created_at=datetime(2026, 12, 1, 7, 59, 59, 999_999, tzinfo=east))
    JobFactory(created_at=datetime(2026, 12, 1, 8, tzinfo=east))
    rows = Job.objects.order_by("pk").values_list(UtcMonth("created_at"), UtcDay("created_at"))
    assert list(rows) == [("2026-11", "2026-11-30"), ("2026-12", "2026-12-01")]


@pytest.mark.django_db
def test_columns_come_as_lines_in_the_same_order() -> None:
    for done in (3, 1, 2):
        JobFactory(done=done, scope=f"s{done}")

    found = Job.objects.aggregate(done=Lines("done"), scope=Lines("scope"))

    both = zip(found["done"].split("\n"), found["scope"].split("\n"), strict=True)
    assert sorted(both) == [("1", "s1"), ("2", "s2"), ("3", "s3")]


@pytest.mark.django_db
def test_lines_of_no_rows_are_none() -> None:
    assert Job.objects.aggregate(done=Lines("done")) == {"done": None}
