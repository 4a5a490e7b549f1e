"""Python in a process of its own, on the database of the test that starts it, so that it can be killed."""

import contextlib
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path

from django.db import connection

ROOT = Path(__file__).resolve().parents[1]


def database_url() -> str:
    """Where the test's database is, as the setting says it."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    return "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database)


def start_python(code: str, *arguments: object, **settings: object) -> subprocess.Popen[str]:
    """Run `code` with `arguments` as its `sys.argv[1:]`; `settings` are LOTSAWA_… by their names.

    The test must be marked `transaction=True`: the process sees what is committed.
    """
    named = {f"LOTSAWA_{name}": str(value) for name, value in settings.items()}
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_DATABASE_URL": database_url(),
        **named,
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def free_port() -> int:
    """Return a port that nobody listens on, below those that the system gives to connections.

    It is taken only later: a port of the system's own choice may meanwhile be that of a connection.
    """
    while True:
        port = secrets.choice(range(10_000, 32_000))
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
