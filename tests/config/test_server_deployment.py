"""The deployment of the README's "for many people": production settings, Redis, forking workers, kills."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
import redis
from pytest_django import DjangoDbBlocker

from jobs.enums import Queue
from tests.config.containers import ROOT, SERVICES, module_of, production
from tests.databases import FILE, copy_migrated, copy_migrated_on_server
from tests.processes import free_port

REDIS_URL = os.environ.get("LOTSAWA_TEST_REDIS_URL", "")
DATABASE_URL = os.environ.get("LOTSAWA_TEST_DATABASE_URL", "")
OWN = f"lotsawa_deployment_{os.getpid()}"
PREPARED = f"{OWN}_prepared"
ITEMS = 4000
PATIENCE = 120
STATIC_FILE = re.compile(r'"(/static/[^"]+\.(?:css|js))"')
# What Celery keeps in Redis for our queues; nothing else of the database is touched.
BROKER_KEYS = (*Queue, "unacked", "unacked_index", "unacked_mutex")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.skipif(
        not REDIS_URL, reason="there is no Redis: LOTSAWA_TEST_REDIS_URL names a server"
    ),
]


@dataclass
class Deployment:
    """Web server and worker in production settings, each a process group of its own."""

    var: Path
    database_url: str
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return production(self.var, self.database_url, REDIS_URL)

    def manage(self, *words: str) -> dict[str, Any]:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in words else {}

    def start_web(self) -> None:
        self._start("web", bind=f"--bind=127.0.0.1:{self.port}")
        self.wait_for({"web": "ok"})

    def start_worker(self, name: str = "worker") -> None:
        self._start(name)

    def check_web(self) -> None:
        """Ask as the container's health check does; raises if it would call the web server ill."""
        words = SERVICES["web"]["healthcheck"]["test"][1:]
        code = words[-1].replace("8000", str(self.port))
        subprocess.run([sys.executable, *words[1:-1], code], check=True, timeout=120)

    def kill(self, name: str) -> None:
        """End a part and its children as a power cut would."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def ask(self, path: str, token: str = "", **more: Any) -> httpx.Response:
        """Ask as the proxy that ends TLS would."""
        headers = {"X-Forwarded-Proto": "https"}
        if token:
            headers["Authorization"] = f"Token {token}"
        method = "POST" if more else "GET"
        address = f"http://127.0.0.1:{self.port}{path}"
        return httpx.request(method, address, headers=headers, timeout=60, **more)

    def wait_for(self, wanted: dict[str, str]) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                told = self.ask("/healthz").json()
                if wanted.items() <= told.items():
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError((self.var / "log.txt").read_text(encoding="utf-8")[-3000:])

    def job(self, number: int, token: str, until: set[str]) -> dict[str, Any]:
        """The job as the API shows it, as soon as its state is one of `until`."""
        deadline = time.monotonic() + PATIENCE
        job: dict[str, Any] = {}
        while time.monotonic() < deadline:
            job = self.ask(f"/api/v1/jobs/{number}/", token).json()
            if job["state"] in until:
                return job
            time.sleep(0.02)
        raise AssertionError(f"{job}\n{(self.var / 'log.txt').read_text(encoding='utf-8')[-3000:]}")

    def close(self) -> None:
        for name in list(self.processes):
            self.kill(name)

    def _start(self, name: str, **changed: str) -> None:
        """Start a service by its command in compose.yaml."""
        with (self.var / "log.txt").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, *module_of(name, **changed)],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                process_group=0,
            )


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    """The test's Redis database without a message; other keys in it stay as they are."""
    client = redis.Redis.from_url(REDIS_URL)
    _empty(client)
    yield client
    _empty(client)
    client.close()


def _empty(client: redis.Redis) -> None:
    client.delete(*BROKER_KEYS, *client.scan_iter("_kombu.binding*"))


@pytest.fixture(scope="module")
def prepared(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Deployment]:
    """A deployment with the project "ti" that runs nothing: each test has a copy of it."""
    var = tmp_path_factory.mktemp("prepared") / "var"
    var.mkdir()
    if DATABASE_URL:
        with django_db_blocker.unblock():
            copy_migrated_on_server(PREPARED)
    else:
        copy_migrated(var / FILE)
    ours = Deployment(var, url_of(PREPARED))
    ours.manage(*module_of("migrate")[1:], "--verbosity", "0")
    ours.manage(
        "create_project", "ti", "--name", "Ti", "--source-language", "zh", "--target-language", "bo"
    )
    yield ours
    if DATABASE_URL:
        on_server(f"DROP DATABASE {PREPARED} WITH (FORCE)")


@pytest.fixture(scope="module")
def token(prepared: Deployment) -> str:
    words = ("--name", "Pema", "--role", "ti:manager", "--token", "--json")
    return str(prepared.manage("create_user", "pema@example.org", *words)["token"])


@pytest.fixture
def deployment(
    tmp_path: Path, broker: redis.Redis, prepared: Deployment, token: str
) -> Iterator[Deployment]:
    """On a PostgreSQL database of its own where the suite runs on one, else on SQLite in `var`."""
    shutil.copytree(prepared.var, tmp_path / "var")
    if DATABASE_URL:
        on_server(f"DROP DATABASE IF EXISTS {OWN} WITH (FORCE)")
        on_server(f"CREATE DATABASE {OWN} TEMPLATE {PREPARED}")
    ours = Deployment(tmp_path / "var", url_of(OWN))
    yield ours
    ours.close()
    if DATABASE_URL:
        on_server(f"DROP DATABASE {OWN} WITH (FORCE)")


def url_of(name: str) -> str:
    """The address of a PostgreSQL database; "", which is SQLite, where the suite runs on that."""
    return urlsplit(DATABASE_URL)._replace(path=f"/{name}").geturl() if DATABASE_URL else ""


def on_server(statement: str) -> None:
    address = f"postgresql://{urlsplit(DATABASE_URL).netloc}/postgres"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement)


def items_file(count: int) -> bytes:
    rows = (
        {
            "uid": f"u{number}",
            "subject": f"s{number % 7}",
            "question": f"问题 {number}",
            "options": ["甲", "乙", "丙", "丁"],
            "key": "ABCD"[number % 4],
        }
        for number in range(count)
    )
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def send_import(deployment: Deployment, token: str) -> int:
    files = {"file": ("items.jsonl", items_file(ITEMS))}
    answer = deployment.ask(
        "/api/v1/projects/ti/imports/", token, files=files, data={"format": "items"}
    )
    assert answer.status_code == 202, answer.text
    return int(answer.json()["job"])


def all_but(served: Queue) -> str:
    """What /healthz says of the workers where one serves a queue, and none the others."""
    return f"not seen for {', '.join(queue for queue in Queue if queue != served)}"


@pytest.mark.timeout(300)
def test_import_whose_web_server_and_worker_are_killed_is_whole_after_their_restart(
    deployment: Deployment, broker: redis.Redis, token: str
) -> None:
    deployment.start_web()
    deployment.start_worker()
    deployment.wait_for({"database": "ok", "broker": "ok", "worker": all_but(Queue.DEFAULT)})
    number = send_import(deployment, token)
    deployment.job(number, token, until={"running"})
    deployment.kill("worker")
    left = deployment.job(number, token, until={"running"})
    deployment.kill("web")
    deployment.start_web()
    deployment.start_worker()

    done = deployment.job(number, token, until={"done", "failed", "cancelled"})
    again = deployment.job(send_import(deployment, token), token, until={"done", "failed"})

    assert left["state"] == "running"
    assert done["state"] == "done", done
    assert done["result"]["imported"] == ITEMS
    assert again["result"]["unchanged"] == ITEMS
    assert again["result"]["imported"] == 0


@pytest.mark.timeout(300)
def test_job_sent_while_no_worker_runs_waits_in_redis_and_the_pages_can_say_so(
    deployment: Deployment, broker: redis.Redis, token: str
) -> None:
    deployment.start_web()
    number = send_import(deployment, token)

    waiting = deployment.job(number, token, until={"queued"})
    health = deployment.ask("/healthz").json()
    messages = broker.llen("default")
    deployment.start_worker()
    done = deployment.job(number, token, until={"done", "failed"})

    assert waiting["state"] == "queued"
    assert (health["broker"], health["worker"]) == ("ok", "not seen")
    assert messages == 1
    assert done["state"] == "done", done
    assert broker.llen("default") == 0


@pytest.mark.timeout(300)
def test_pages_in_production_name_files_that_are_there_compressed_and_kept_for_ever(
    deployment: Deployment, collected: Path
) -> None:
    shutil.copytree(collected, deployment.var / "static")
    deployment.start_web()
    deployment.check_web()
    deployment.start_worker("embed-worker")
    deployment.wait_for({"worker": all_but(Queue.EMBED)})

    page = deployment.ask("/accounts/sign-in/")
    files = {path: deployment.ask(path) for path in STATIC_FILE.findall(page.text)}
    plain = httpx.get(f"http://127.0.0.1:{deployment.port}/accounts/sign-in/")

    assert page.status_code == 200
    assert files
    for path, answer in files.items():
        assert answer.status_code == 200, path
        assert "immutable" in answer.headers["Cache-Control"], path
        packed = answer.headers.get("Content-Encoding") in ("br", "gzip")
        assert packed or len(answer.content) < 1000, path
    assert "Secure" in page.headers["Set-Cookie"]
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert plain.headers["Location"].startswith("https://")
