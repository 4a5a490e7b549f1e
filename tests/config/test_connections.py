"""The production web server over a real socket: a refused body spoils no request that comes after it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest

from config.draining import MOST_DRAINED
from tests.browser.site import manage
from tests.databases import FILE, copy_migrated
from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Site:
    port: int
    token: str

    def connect(self) -> HTTPConnection:
        """Return an open connection; one that the server closes is not opened again."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.auto_open = 0
        connection.connect()
        return connection


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The web server that the README starts, on a database with one person."""
    var, port = tmp_path_factory.mktemp("web"), free_port()
    copy_migrated(var / FILE)
    words = ("create_user", "pema@example.org", "--name", "Pema", "--administrator")
    token = json.loads(manage(var, *words, "--token", "--json"))["token"]
    command = "-m gunicorn config.wsgi --workers 1 --threads 4 --log-level warning --bind"
    own = {"LOTSAWA_VAR": str(var), "LOTSAWA_DATABASE_URL": "", "LOTSAWA_REDIS_URL": ""}
    environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "config.settings.dev"}
    process = subprocess.Popen(
        [sys.executable, *command.split(), f"127.0.0.1:{port}"], cwd=ROOT, env=environment
    )
    try:
        wait_for(port)
        yield Site(port, token)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def wait_for(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the web server does not listen")


@pytest.mark.parametrize(
    ("path", "media_type", "size", "status"),
    [
        ("/accounts/sign-in/", FORM, 3_000_000, 413),
        ("/api/v1/projects/", JSON, 3_000_000, 413),
        ("/api/v1/projects/", "text/plain", 500_000, 415),
        ("/nowhere/", "text/plain", 500_000, 404),
    ],
)
def test_connection_serves_the_next_request_after_a_body_was_refused(
    site: Site, path: str, media_type: str, size: int, status: int
) -> None:
    connection = site.connect()
    headers = {"Content-Type": media_type, "Authorization": f"Token {site.token}"}

    connection.request("POST", path, body=b"x" * size, headers=headers)
    refused = connection.getresponse()
    refused.read()
    connection.request("GET", "/healthz")
    after = connection.getresponse()
    after.read()

    assert (refused.status, after.status) == (status, 200)
    connection.close()


@pytest.mark.parametrize(
    ("header", "value", "body"),
    [
        ("Content-Length", str(2 * MOST_DRAINED), b"x" * MOST_DRAINED),
        ("Transfer-Encoding", "chunked", b"0\r\n\r\n"),
    ],
    ids=["large", "chunked"],
)
def test_server_says_that_it_closes_after_a_body_that_it_may_not_read(
    site: Site, header: str, value: str, body: bytes
) -> None:
    connection = site.connect()
    connection.putrequest("POST", "/nowhere/")
    connection.putheader(header, value)
    connection.endheaders()
    connection.send(body)

    answer = connection.getresponse()

    assert (answer.status, answer.headers["Connection"]) == (404, "close")
    connection.close()
