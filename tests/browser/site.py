"""A whole Lotsawa of a test's own: web server, worker and stand-in endpoint on a copy of the demo."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from config.management.commands.load_demo import PASSWORD, SLUG
from scripts.run import commands

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 150
ADDRESSES = {
    "manager": "manager@demo.example",
    "senior": "senior@demo.example",
    "reviewer": "reviewer@demo.example",
    "administrator": "administrator@demo.example",
}
PROJECT = f"/projects/{SLUG}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def environment(var: Path, **more: str) -> dict[str, str]:
    """The embedded default on the folder `var`, whatever the suite itself runs on."""
    ours = {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": str(var),
        "LOTSAWA_DATABASE_URL": "",
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


@dataclass
class Site:
    """The processes on `var`; each is started when a test asks for it."""

    var: Path
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @classmethod
    def copy_of(cls, template: Path, var: Path) -> "Site":
        """A site on a copy of `template`; runs nothing yet."""
        shutil.copytree(template, var)
        return cls(var)

    def start(self, *names: str) -> None:
        """Start parts by their names in scripts/run.py: web server, worker, stand-in endpoint."""
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
        """End a part as a power cut would."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()

    def session(self, role: str) -> str:
        """The session cookie of one of ADDRESSES, signed in once by the sign-in page's own form."""
        if role not in self.cookies:
            self.cookies[role] = self.sign_in(ADDRESSES[role], PASSWORD)
        return self.cookies[role]

    def sign_in(self, email: str, password: str) -> str:
        with httpx.Client(base_url=self.address, timeout=60) as client:
            page = client.get("/accounts/sign-in/")
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
            assert token, page.text
            values = {"username": email, "password": password, "csrfmiddlewaretoken": token[1]}
            answer = client.post("/accounts/sign-in/", data=values)
            assert answer.status_code == 302, answer.text
            return client.cookies["sessionid"]

    def ask(self, role: str, path: str) -> Any:
        """What the API tells `role`."""
        cookies = {"sessionid": self.session(role)}
        answer = httpx.get(f"{self.address}/api/v1/{path}", cookies=cookies, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def judgements(self) -> dict[str, dict[str, Any]]:
        """What the API lists to the reviewer of the demo as judged by them, by item; once each."""
        listed = self.ask("reviewer", f"projects/{SLUG}/judgements/?page_size=1000")["results"]
        found = {row["item"]: row for row in listed}
        assert len(found) == len(listed)
        return found

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.var / "lotsawa.sqlite3", timeout=60)
        try:
            with connection:
                return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def give_back_skips(self) -> None:
        """Offer everybody again what they skipped."""
        self.rows("DELETE FROM review_skip")

    def _stand_in_port(self) -> int:
        return int((self.var / "stand_in_port").read_text(encoding="ascii"))

    def _wait(self, is_ready: Any) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            try:
                if is_ready(httpx.get(f"{self.address}/healthz", timeout=30).json()):
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError((self.var / "log.txt").read_text(encoding="utf-8")[-3000:])
