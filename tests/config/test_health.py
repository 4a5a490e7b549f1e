"""/healthz and /metrics say what is wrong, to whoever asks, without loading the database."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from celery import current_app
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config import health
from jobs.enums import JobState
from jobs.reaper import record_beat, send_again
from tests.factories import JobFactory

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def forgotten() -> None:
    """No test sees the answer that the probe got in an earlier one."""
    health.probe.forget()


def told(client: Client, status: int = 200, **headers: str) -> dict[str, Any]:
    answer = client.get("/healthz", headers=headers)
    assert answer.status_code == status
    return answer.json()


def test_health_says_ok_for_each_part_that_is_there(client: Client, db: None) -> None:
    record_beat(name="here/1", now=timezone.now())
    found = told(client)
    assert found.pop("disk_free_bytes") > 0
    parts = dict.fromkeys(("web", "database", "disk", "broker", "worker", "queue"), "ok")
    assert found == {"status": "ok", "queue_oldest_seconds": 0, **parts}


def test_health_without_a_worker_says_so_and_the_web_still_serves(client: Client, db: None) -> None:
    found = told(client)
    assert (found["status"], found["worker"]) == ("degraded", "not seen")


def test_health_names_the_queues_that_no_worker_serves(client: Client, db: None) -> None:
    record_beat(name="here/1", now=timezone.now(), queues=["default", "embed", "submissions"])
    found = told(client)
    assert (found["status"], found["worker"]) == (
        "degraded",
        "not seen for submission-calls, calls",
    )


def test_health_without_a_database_is_503_in_words(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise DatabaseError("secret-host refused")

    with monkeypatch.context() as patched:
        patched.setattr(connection, "cursor", away)
        found = told(client, 503)
    assert (found["status"], found["database"]) == ("failing", "unreachable")
    assert "secret-host" not in str(found)


@contextmanager
def locked() -> Iterator[None]:
    """Somebody else holds the lock that a write needs."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(told["NAME"])) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
        return
    place = {"host": told["HOST"], "port": told["PORT"], "user": told["USER"]}
    with psycopg.connect(**place, password=told["PASSWORD"], dbname=told["NAME"]) as other:
        other.execute("LOCK TABLE config_writeprobe IN EXCLUSIVE MODE")
        yield


@pytest.mark.django_db(transaction=True)
def test_health_while_the_database_is_locked_is_503_and_then_well_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LOCK_MILLISECONDS", 20)
    with locked():
        found = told(client, 503)
    assert (found["status"], found["database"]) == ("failing", "not writable")
    assert told(client)["database"] == "ok"


def test_health_writes_once_in_ten_seconds_however_often_it_is_asked(
    client: Client, db: None
) -> None:
    told(client)
    with CaptureQueriesContext(connection) as captured:
        for _number in range(5):
            told(client)
    assert [query for query in captured if "writeprobe" in query["sql"]] == []


def test_health_names_a_disk_that_is_nearly_full(client: Client, db: None, settings: Any) -> None:
    settings.HEALTH_FREE_BYTES = 2**62
    found = told(client)
    assert (found["status"], found["disk"]) == ("degraded", "nearly full")


def test_health_names_a_queue_that_stands_still_though_messages_are_sent_again(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    past = now - timedelta(minutes=16)
    JobFactory(kind="import", waiting_since=past, created_at=past, queued_at=past)
    with monkeypatch.context() as patched:
        patched.setattr(current_app, "send_task", lambda *_, **__: None)
        assert send_again(now=now) == 1
    found = told(client)
    assert (found["status"], found["queue"]) == ("degraded", "stuck")
    assert 960 <= found["queue_oldest_seconds"] < 1000


def test_health_counts_a_resumed_job_from_when_it_was_resumed(client: Client, db: None) -> None:
    now = timezone.now()
    long_past = now - timedelta(days=1)
    JobFactory(waiting_since=now, created_at=long_past, started_at=long_past)
    JobFactory(state=JobState.DONE, waiting_since=long_past)
    assert told(client)["queue"] == "ok"


def test_health_answers_by_any_name_and_without_tls(
    client: Client, db: None, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["lotsawa.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    assert told(client, Host="10.0.0.7:8000")["web"] == "ok"
    assert client.get("/help/", headers={"Host": "10.0.0.7:8000"}).status_code == 400


def test_metrics_are_off_unless_they_are_asked_for(client: Client, db: None) -> None:
    assert client.get("/metrics").status_code == 404


def test_metrics_are_not_shown_through_a_proxy(client: Client, db: None, settings: Any) -> None:
    settings.METRICS = True
    answer = client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"})
    assert answer.status_code == 404


def test_metrics_are_figures_for_prometheus(client: Client, db: None, settings: Any) -> None:
    settings.METRICS = True
    JobFactory(waiting_since=timezone.now() - timedelta(seconds=30))
    answer = client.get("/metrics", headers={"Host": "10.0.0.7:8000"})
    lines = answer.content.decode().splitlines()
    assert answer["Content-Type"].startswith("text/plain; version=")
    assert {
        'lotsawa_part_ok{part="database"} 1.0',
        'lotsawa_part_ok{part="worker"} 0.0',
        'lotsawa_jobs{state="queued"} 1.0',
        'lotsawa_jobs{state="running"} 0.0',
    } <= set(lines)
    (oldest,) = (line for line in lines if line.startswith("lotsawa_queue_oldest_seconds "))
    assert 30 <= float(oldest.split()[1]) < 60


def test_metrics_without_a_database_say_so(
    client: Client, db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS = True

    def away(*_: Any, **__: Any) -> None:
        raise DatabaseError

    with monkeypatch.context() as patched:
        patched.setattr(connection, "cursor", away)
        answer = client.get("/metrics")
    assert 'lotsawa_part_ok{part="database"} 0.0' in answer.content.decode()
