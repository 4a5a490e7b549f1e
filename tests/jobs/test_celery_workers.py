"""Real Celery workers with Redis, whose pool forks: told to stop they hand their job on, killed they use up an attempt.

Two of them serve a project with one job before the other project has both for as long as it likes.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db.models import F
from django.utils import timezone

from jobs.enums import JobState
from jobs.models import Job, WorkerBeat
from tests.factories import JobFactory
from tests.processes import database_url

ROOT = Path(__file__).resolve().parents[2]
REDIS_URL = os.environ.get("LOTSAWA_TEST_REDIS_URL", "")
POOL = ("--pool", "prefork", "--concurrency", "2")
FOR_EVER = 6000
QUICK_SECONDS = (
    30  # far less than the job would take; a worker ends within a few on an idle machine
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.skipif(not REDIS_URL, reason="LOTSAWA_TEST_REDIS_URL names no Redis"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="ends processes as Linux does"),
]
StartWorker = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[StartWorker]:
    """Start Celery workers on this test's database and keys in Redis of its own."""
    prefix = f"{tmp_path}:"
    started: list[subprocess.Popen[bytes]] = []
    log = (tmp_path / "workers.log").open("wb")

    def start(*options: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "celery",
            "--quiet",
            "-A",
            "tests.jobs.quick_app",
            "worker",
        ]
        command += ["--include", "tests.jobs.worker_app", "--without-gossip", "--without-mingle"]
        command += [*options, "--queues", "default,embed,calls"]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=_environment(tmp_path) | {"TEST_KEY_PREFIX": prefix},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
    _forget_keys(prefix)
    log.close()
    sys.stdout.write((tmp_path / "workers.log").read_text())  # shown when the test fails


def _forget_keys(prefix: str) -> None:
    with redis.Redis.from_url(REDIS_URL) as client:
        for key in client.scan_iter(f"{prefix}*"):
            client.delete(key)


def _environment(var: Path) -> dict[str, str]:
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings.base",
        "LOTSAWA_DATABASE_URL": database_url(),
        "LOTSAWA_REDIS_URL": REDIS_URL,
        "LOTSAWA_VAR": str(var),
        "LOTSAWA_JOB_TURN_SECONDS": "1",
        "C_FORCE_ROOT": "1",
    }


def waiting_job(work: str, *, kind: str = "testing", scope: str = "ti", **params: Any) -> Job:
    """A job whose message was lost long ago, so that any worker's reaper wakes it at once."""
    long_ago = timezone.now() - timedelta(hours=1)
    wanted = {"work": work, **params}
    return JobFactory(kind=kind, scope=scope, params=wanted, queued_at=long_ago)


def wait_until(job: Job, condition: Callable[[Job], bool], *, seconds: float = 45) -> None:
    deadline = time.monotonic() + seconds
    while True:
        job.refresh_from_db()
        if condition(job):
            return
        assert time.monotonic() < deadline, f"{job}: {job.done} of {job.total}, {job.error}"
        time.sleep(0.05)


def test_worker_told_to_stop_hands_its_job_on_within_seconds_and_uses_up_no_attempt(
    start_worker: StartWorker,
) -> None:
    job = waiting_job("count", to=FOR_EVER)
    first = start_worker(*POOL)
    wait_until(job, lambda job: job.done >= 5)

    first.terminate()
    first.wait(QUICK_SECONDS)
    job.refresh_from_db()
    put_back = (job.state, job.crash_count, job.error_code)
    counted = job.done
    Job.objects.filter(pk=job.pk).update(params={"work": "count", "to": counted + 20})
    start_worker(*POOL)
    wait_until(job, lambda job: job.has_ended)

    assert put_back == (JobState.QUEUED, 0, "")
    assert (job.state, job.done >= counted) == (JobState.DONE, True)
    assert WorkerBeat.objects.count() == 1  # the first has said goodbye


def test_pool_process_told_to_stop_by_itself_hands_its_job_on_and_uses_up_no_attempt(
    start_worker: StartWorker,
) -> None:
    """Systemd sends SIGTERM to every process of a service, not to the parent alone."""
    job = waiting_job("count", to=FOR_EVER)
    worker = start_worker(*POOL)
    wait_until(job, lambda job: job.done >= 5)

    os.killpg(worker.pid, signal.SIGTERM)
    worker.wait(QUICK_SECONDS)

    job.refresh_from_db()
    assert (job.state, job.crash_count) == (JobState.QUEUED, 0)


@pytest.mark.parametrize("work", ["kill_worker", "exit_worker"])
def test_job_that_kills_its_worker_fails_after_three_and_the_worker_lives_on(
    start_worker: StartWorker, work: str
) -> None:
    job = waiting_job(work)
    worker = start_worker("--pool", "prefork", "--concurrency", "1")

    wait_until(job, lambda job: job.has_ended, seconds=60)

    assert (job.state, job.error_code, job.crash_count) == (JobState.FAILED, "worker_died", 3)
    assert worker.poll() is None


def test_small_job_of_another_project_ends_before_those_that_hold_both_workers(
    start_worker: StartWorker,
) -> None:
    large = [waiting_job("count", kind="calling", scope="greedy", to=40) for _number in range(4)]
    small = waiting_job("count", kind="calling", scope="modest", to=5)
    Job.objects.filter(pk=small.pk).update(queued_at=F("queued_at") + timedelta(minutes=30))
    for _number in range(2):
        start_worker("--pool", "prefork", "--concurrency", "1")

    for job in (small, *large):
        wait_until(job, lambda job: job.has_ended, seconds=90)

    assert [job.finished_at for job in large if job.finished_at <= small.finished_at] == []
    assert [(job.state, job.crash_count) for job in (small, *large)] == [(JobState.DONE, 0)] * 5
    assert len({job.worker for job in large}) == 2
