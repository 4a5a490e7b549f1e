"""Real workers without Redis: told to stop they hand their job on, killed they use up an attempt."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jobs.enums import JobState
from jobs.models import Job, WorkerBeat
from jobs.processes import is_known_dead, worker_name
from tests.factories import JobFactory
from tests.processes import database_url

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
FOR_EVER = 6000
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="ends processes as Linux does"),
]


@dataclass
class Nursery:
    process: subprocess.Popen[str]
    pids: list[int] = field(default_factory=list)

    def start(self, queues: str = "default") -> int:
        """Fork a worker for these queues and return its pid."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{queues}\n")
        self.process.stdin.flush()
        self.pids.append(int(self.process.stdout.readline()))
        return self.pids[-1]

    def end(self, number: signal.Signals, *pids: int) -> None:
        """Send the signal and return when the workers are gone."""
        alive = [pid for pid in pids if not is_gone(pid)]
        for pid in alive:
            os.kill(pid, number)
        for pid in alive:
            until(lambda pid=pid: is_gone(pid))


@pytest.fixture(scope="module")
def nursery_process(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[subprocess.Popen[str]]:
    var = tmp_path_factory.mktemp("workers")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings.base",
        "LOTSAWA_DATABASE_URL": database_url(),
        "LOTSAWA_REDIS_URL": "",
        "LOTSAWA_VAR": str(var),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.nursery"],
        cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout and process.stdout.readline() == "ready\n"
        yield process
        process.kill()


@pytest.fixture
def nursery(nursery_process: subprocess.Popen[str]) -> Iterator[Nursery]:
    ours = Nursery(nursery_process)
    yield ours
    ours.end(signal.SIGKILL, *ours.pids)


def is_gone(pid: int) -> bool:
    return is_known_dead(f"{worker_name().rpartition('/')[0]}/{pid}")


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, list(Job.objects.order_by("pk").values())
        time.sleep(0.01)


def waiting(work: str, *, kind: str = "testing", **params: Any) -> Job:
    return JobFactory(kind=kind, params={"work": work, **params})


def reaches(job: Job, done: int) -> Callable[[], bool]:
    def look() -> bool:
        job.refresh_from_db()
        return job.done >= done

    return look


def has_ended(*jobs: Job) -> Callable[[], bool]:
    numbers = [job.pk for job in jobs]
    ended = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
    return lambda: Job.objects.filter(pk__in=numbers, state__in=ended).count() == len(numbers)


def test_worker_told_to_stop_hands_its_job_on_and_uses_up_no_attempt(nursery: Nursery) -> None:
    job = waiting("count", to=FOR_EVER)
    first = nursery.start()
    until(reaches(job, 5))

    nursery.end(signal.SIGTERM, first)
    job.refresh_from_db()
    put_back, counted = (job.state, job.crash_count, job.error_code), job.done
    beats = WorkerBeat.objects.count()
    Job.objects.filter(pk=job.pk).update(params={"work": "count", "to": counted + 2})
    nursery.start()
    until(has_ended(job))

    job.refresh_from_db()
    assert (put_back, beats) == ((JobState.QUEUED, 0, ""), 0)  # the first has said goodbye
    assert (job.state, job.result) == (JobState.DONE, {"counted": counted + 2})


def test_job_of_a_killed_worker_is_finished_by_another(nursery: Nursery) -> None:
    job = waiting("count", to=FOR_EVER)
    first = nursery.start()
    until(reaches(job, 5))
    counted = job.done
    Job.objects.filter(pk=job.pk).update(params={"work": "count", "to": counted + 2})

    nursery.end(signal.SIGKILL, first)
    nursery.start()
    until(has_ended(job))

    job.refresh_from_db()
    assert (job.state, job.crash_count) == (JobState.DONE, 1)
    assert job.result == {"counted": counted + 2}


@pytest.mark.parametrize("work", ["kill_worker", "exit_worker"])
def test_job_that_kills_its_workers_fails_after_three(nursery: Nursery, work: str) -> None:
    job = waiting(work)

    killed = [nursery.start() for _ in range(3)]
    until(lambda: all(map(is_gone, killed)))
    last = nursery.start()
    until(has_ended(job))

    job.refresh_from_db()
    assert (job.state, job.error_code, job.crash_count) == (JobState.FAILED, "worker_died", 3)
    assert not is_gone(last)


def test_no_job_is_lost_or_left_while_workers_are_killed(nursery: Nursery) -> None:
    jobs = [waiting("count", to=1) for _ in range(20)]
    workers = [nursery.start(), nursery.start()]

    for number in range(2):
        until(lambda number=number: Job.objects.filter(state="done").count() > 5 * number + 2)
        nursery.end(signal.SIGKILL, workers[number])
        nursery.start()
    until(has_ended(*jobs))

    assert set(Job.objects.values_list("state", "done")) == {(JobState.DONE, 1)}
    assert sum(Job.objects.values_list("crash_count", flat=True)) <= 2


def test_job_that_waits_for_an_endpoint_holds_up_no_import(nursery: Nursery) -> None:
    run = waiting("count", kind="calling", to=FOR_EVER)
    nursery.start("default,embed")
    nursery.start("calls")
    until(reaches(run, 1))
    imported = waiting("do_nothing")

    until(has_ended(imported))

    run.refresh_from_db()
    assert run.state == JobState.RUNNING
