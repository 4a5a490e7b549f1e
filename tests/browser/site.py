"""A Lotsawa that the tests of a process share: web server, worker and stand-in endpoint on one folder."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import psycopg
from psycopg import sql

from config.management.commands.load_demo import SLUG
from scripts.run import commands
from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 150
ADDRESSES = {
    "manager": "manager@demo.example",
    "senior": "senior@demo.example",
    "reviewer": "reviewer@demo.example",
    "administrator": "administrator@demo.example",
}
PROJECT = f"/projects/{SLUG}"
DATABASE = "lotsawa.sqlite3"
SERVER = "database_url"
"""A file that names the database of a site on a server; without it the site is on SQLite."""
LEFT_BEHIND = ("cache", "mail")
"""Folders whose files a test must not find of the one before."""


def environment(var: Path, **more: str) -> dict[str, str]:
    """The embedded default on the folder `var`, but for the database that its file SERVER names."""
    ours = {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": str(var),
        "LOTSAWA_DATABASE_URL": database_of(var),
        "LOTSAWA_REDIS_URL": "",
        "LOTSAWA_LOG_LEVEL": "WARNING",
    }
    return {**os.environ, **ours, **more}


def manage(var: Path, *words: str, **more: str) -> str:
    command, variables = [sys.executable, "manage.py", *words], environment(var, **more)
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
    return done.stdout


def database_of(var: Path) -> str:
    """The URL of the site's database on a server; empty on SQLite."""
    named = var / SERVER
    return named.read_text(encoding="ascii") if named.exists() else ""


def world_in(var: Path, name: str) -> Path:
    """The database file of a world of tests/browser/worlds.py."""
    return var / f"world-{name}.sqlite3"


def world_on_server(url: str, name: str) -> str:
    """The database of a world, beside that of the site."""
    return f"{name_of(url)}_{name}"


def session_of(role: str) -> str:
    """The key of the session that a world holds for one of ADDRESSES."""
    return f"session-of-{role}"


def copy_database(source: Path, target: Path) -> None:
    """Overwrite a database within one transaction: whoever has it open reads the new rows."""
    with (
        contextlib.closing(sqlite3.connect(source)) as old,
        contextlib.closing(sqlite3.connect(target, timeout=60)) as new,
    ):
        new.execute("PRAGMA synchronous = OFF")
        old.backup(new)


def copy_on_server(url: str, name: str, *, to: str) -> None:
    """Make the database `to` as `name` is, on the server of `url`; an empty name only removes it."""
    with psycopg.connect(_beside(url, "postgres"), autocommit=True) as connection:
        old, new = sql.Identifier(name), sql.Identifier(to)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(new))
        if name:
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(new, old))


def name_of(url: str) -> str:
    return urlsplit(url).path[1:]


def _beside(url: str, name: str) -> str:
    """The URL of another database on the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


@dataclass
class Site:
    """The processes on `var`; `begin` puts them into a world, whatever the test before has left."""

    var: Path
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)  # the web server may be killed
        self.client = httpx.Client(base_url=self.address, timeout=60, limits=limits)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self, world: str) -> None:
        """Have the web server run, and nothing else, on the rows of `world`.

        The sessions have new keys before the copy: a request of the test before that is still on its
        way finds nobody.
        """
        for name in [name for name in self.processes if name != "web server"]:
            self.kill(name)
        self.cookies = {role: uuid4().hex for role in ADDRESSES}
        self._store(world)
        for folder in LEFT_BEHIND:
            for file in (self.var / folder).rglob("*"):
                if file.is_file():
                    file.unlink(missing_ok=True)
        if "web server" not in self.processes:
            self.start("web server")

    def _store(self, world: str) -> None:
        copied = self.var / "world-begun.sqlite3"
        shutil.copyfile(world_in(self.var, world), copied)
        rename = "UPDATE django_session SET session_key = ? WHERE session_key = ?"
        with contextlib.closing(sqlite3.connect(copied)) as connection, connection:
            for role, key in self.cookies.items():
                connection.execute(rename, (key, session_of(role)))
        copy_database(copied, self.var / DATABASE)

    def start(self, *names: str) -> None:
        """Start parts by their names in scripts/run.py: web server, worker, calls worker, stand-in endpoint."""
        lines = dict(commands(port=self.port, stand_in_port=self._stand_in_port()))
        for name in names:
            log = (self.var / "log.txt").open("ab")
            self.processes[name] = subprocess.Popen(
                lines[name],
                cwd=ROOT,
                env=environment(self.var, LOTSAWA_SITE_URL=self.address),
                stdout=log,
                stderr=log,
                process_group=0,
            )
            log.close()
        if "web server" in names:
            self._wait(lambda health: health.get("web") == "ok")
        if "worker" in names:
            self._wait(lambda health: health.get("worker") == "ok")

    def kill(self, name: str) -> None:
        """End a part as a power cut would; what it has left is written over by the next `begin`."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for name in list(self.processes):
            self.kill(name)
        self.client.close()

    def story(self) -> str:
        """Tell which processes run and what they wrote last, for a test that failed."""
        ends = {name: process.poll() for name, process in self.processes.items()}
        told = [
            f"{name}: {'runs' if end is None else f'ended by {end}'}" for name, end in ends.items()
        ]
        log = self.var / "log.txt"
        return "\n".join([*told, log.read_text("utf-8", "replace")[-4000:] if log.exists() else ""])

    def ask(self, role: str, path: str) -> Any:
        """What the API tells `role`."""
        headers = {"Cookie": f"sessionid={self.cookies[role]}"}
        answer = self.client.get(f"/api/v1/{path}", headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def judgements(self) -> dict[str, dict[str, Any]]:
        """What the API lists to the reviewer of the demo as judged by them, by item; once each."""
        listed = self.ask("reviewer", f"projects/{SLUG}/judgements/?page_size=1000")["results"]
        found = {row["item"]: row for row in listed}
        assert len(found) == len(listed)
        return found

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.var / DATABASE, timeout=60)
        try:
            with connection:
                return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def reserve(self, role: str, *, fault: str = "") -> None:
        """Hold for `role` the first item of the demo whose text has `fault`, a check's code; else no error."""
        is_such = "f.severity = 'error' AND ? = ''" if not fault else "f.code = ?"
        exists = f"EXISTS (SELECT 1 FROM annotation_finding f WHERE f.revision_id = p.revision_id AND {is_such})"
        self.rows(
            "UPDATE review_assignment SET state = 'claimed', claimed_at = datetime('now'),"
            " expires_at = datetime('now', '+1 hour'),"
            " reviewer_id = (SELECT id FROM accounts_user WHERE email = ?)"
            " WHERE id = (SELECT min(a.id) FROM review_assignment a JOIN review_panel p ON p.id = a.panel_id"
            f" WHERE a.round_id = 1 AND a.state = 'open' AND {'' if fault else 'NOT'} {exists})",
            ADDRESSES[role],
            fault,
        )

    def _stand_in_port(self) -> int:
        return int((self.var / "stand_in_port").read_text(encoding="ascii"))

    def _wait(self, is_ready: Any) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            try:
                if is_ready(self.client.get("/healthz").json()):
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError(self.story())


class ServerSite(Site):
    """A site whose worlds are databases on a server; `rows` and `reserve` are for SQLite alone."""

    def _store(self, world: str) -> None:
        if "web server" in self.processes:
            self.kill("web server")  # nobody may have open what is copied over
        url = database_of(self.var)
        copy_on_server(url, world_on_server(url, world), to=name_of(url))
        with psycopg.connect(url) as connection:
            rename = "UPDATE django_session SET session_key = %s WHERE session_key = %s"
            for role, key in self.cookies.items():
                connection.execute(rename, (key, session_of(role)))
