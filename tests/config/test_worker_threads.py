"""What every worker does beside its jobs, and which worker an installation may start."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config import celery, worker_threads

pytestmark = pytest.mark.both_databases

ROOT = Path(__file__).resolve().parents[2]
# The reaper holds the write lock when the pool forks; the child then writes for itself.
FORK_DURING_A_ROUND = """
import os, sqlite3, sys, threading, time
import django
from config import worker_threads

django.setup()
from jobs import reaper

writing = threading.Event()

def write(wait=0.0):
    connection = sqlite3.connect(sys.argv[1], timeout=2)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
    writing.set()
    time.sleep(wait)
    connection.commit()
    connection.close()

reaper.record_beat = lambda **_: write(wait=0.3)
reaper.reap_jobs = lambda **_: 0
worker_threads.start_threads([])
assert writing.wait(20)
child = os.fork()
if child == 0:
    try:
        write()
    except sqlite3.OperationalError:
        os._exit(3)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
def test_process_forked_while_the_reaper_writes_can_write_itself(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORK_DURING_A_ROUND, str(tmp_path / "db.sqlite3")]
    assert subprocess.run(command, cwd=ROOT, timeout=170, check=False).returncode == 0


def test_worker_sends_emails_until_it_stops_whatever_goes_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds: list[Any] = []

    def send(*, database: Any) -> int:
        rounds.append(database)
        if len(rounds) < 2:
            raise ValueError
        worker_threads._stopping.set()
        return 0

    monkeypatch.setattr(worker_threads, "MAIL_SECONDS", 0)
    monkeypatch.setattr(worker_threads, "_stopping", threading.Event())
    monkeypatch.setattr("accounts.mail.send_waiting_emails", send)

    worker_threads._mail_until_stopped()

    assert rounds == [worker_threads._database] * 2


@pytest.mark.django_db(transaction=True)
def test_thread_at_the_database_keeps_the_worker_from_forking_and_leaves_no_connection() -> None:
    with worker_threads._database():
        connection.ensure_connection()
        assert worker_threads._round.locked()
    assert not worker_threads._round.locked()
    assert connection.connection is None


def test_worker_sends_webhooks_until_it_stops_whatever_goes_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    thorough: list[bool] = []

    def send(*, is_thorough: bool, is_stopping: Any, **_: Any) -> int:
        thorough.append(is_thorough)
        assert not is_stopping()
        if len(thorough) < 2:
            raise ValueError
        worker_threads._stopping.set()
        return 0

    monkeypatch.setattr(worker_threads, "WEBHOOK_SECONDS", 0)
    monkeypatch.setattr(worker_threads, "_stopping", threading.Event())
    monkeypatch.setattr("webhooks.worker.send_webhooks", send)

    worker_threads._send_webhooks_until_stopped()

    assert thorough == [True, False]


def test_celery_worker_without_redis_ends_and_names_the_command_to_use() -> None:
    with pytest.raises(SystemExit, match=r"manage\.py work"):
        celery.prepare_worker()


def test_worker_for_a_queue_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CommandError, match="The queues are: default, embed, submissions, sub"):
        call_command("work", queues="default,cals")


def test_worker_that_polls_is_refused_with_redis(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1"
    with pytest.raises(CommandError, match="Celery does the jobs"):
        call_command("work")
