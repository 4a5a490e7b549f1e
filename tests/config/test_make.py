"""What `make` promises: its targets, and a server that starts whole and ends without a trace."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.databases import FILE, copy_migrated
from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
MOST_IDLE_MEGABYTES = 420
READY_SECONDS = 150
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="reads processes from Linux's /proc"
)


@dataclass(frozen=True, slots=True)
class Server:
    process: subprocess.Popen[str]
    port: int
    var: Path
    log: Path

    def health(self) -> dict[str, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=60) as answer:
            return json.load(answer)

    def processes(self) -> dict[int, str]:
        """Command lines of every process that was started with this server's folder."""
        mark = f"LOTSAWA_VAR={self.var}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found[int(folder.name)] = command
            except OSError:
                continue
        return {pid: command for pid, command in found.items() if command}


def environment(var: Path, port: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOTSAWA_")}
    kept.pop("DJANGO_SETTINGS_MODULE", None)
    kept.pop("PYTEST_CURRENT_TEST", None)
    return {**kept, "LOTSAWA_VAR": str(var), "PORT": str(port)}


def start(var: Path, port: int, log: Path) -> subprocess.Popen[str]:
    with log.open("w") as output:
        return subprocess.Popen(
            [sys.executable, "scripts/run.py"],
            cwd=ROOT,
            env=environment(var, port),
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )


def wait_for(condition: object, *, seconds: float = 180) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.2)
    return False


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("run")
    var, log, port = folder / "var", folder / "log", free_port()
    var.mkdir()
    copy_migrated(var / FILE)
    process = start(var, port, log)
    running = Server(process=process, port=port, var=var, log=log)
    try:
        ready = wait_for(lambda: "Ctrl-C ends" in log.read_text() or process.poll() is not None)
        assert ready and process.poll() is None, log.read_text()
        yield running
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(40)


def worker_pids(server: Server) -> list[int]:
    return [pid for pid, command in server.processes().items() if " work --queues " in command]


def megabytes(pid: int) -> float:
    """Memory of a process's own; the pages of files are whoever's else happens to read them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024


def test_what_make_starts_keeps_compiled_modules() -> None:
    shown = subprocess.run(
        ["make", "--eval", "environment: ; @env", "environment"],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "PATH=" in shown
    assert "PYTHONDONTWRITEBYTECODE" not in shown


def test_make_help_names_every_target_of_the_contract() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    named = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("make ")}
    assert {"setup", "run", "test", "test-slow", "check", "bench", "messages"} <= named


def test_constraints_pin_every_package_exactly_and_no_local_build() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [pin for pin in pins if pin.count("==") != 1 or "+" in pin or "@" in pin] == []


@pytest.mark.slow
def test_run_prints_address_and_accounts_and_everything_answers_with_a_stand_in_endpoint(
    server: Server,
) -> None:
    said = server.log.read_text()
    assert f"http://127.0.0.1:{server.port}" in said
    assert "@" in said  # the accounts' e-mail addresses
    parts = ("status", "web", "database", "broker", "worker")
    # Another test may just have killed the worker.
    assert wait_for(lambda: server.health()["status"] == "ok", seconds=READY_SECONDS)
    assert {part: server.health()[part] for part in parts} == dict.fromkeys(parts, "ok")
    port = int((server.var / "stand_in_port").read_text())
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=60) as answer:
        assert json.load(answer)["data"]


@pytest.mark.slow
def test_web_and_worker_idle_stay_within_their_memory(server: Server) -> None:
    parts = {
        pid: command
        for pid, command in server.processes().items()
        if "gunicorn" in command or " work --queues " in command
    }
    assert len(parts) == 4  # gunicorn's parent and worker, and two of ours
    assert sum(megabytes(pid) for pid in parts) <= MOST_IDLE_MEGABYTES


def test_run_on_a_taken_port_refuses_in_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert start(tmp_path, port, log).wait(60) == 1
    assert f"Port {port} is taken" in log.read_text()


@pytest.mark.slow
def test_run_starts_a_killed_worker_again_while_the_web_answers(server: Server) -> None:
    old, other = sorted(worker_pids(server))
    os.kill(old, signal.SIGKILL)
    assert wait_for(lambda: len(set(worker_pids(server)) - {old}) == 2)
    assert other in worker_pids(server)
    assert server.health()["web"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_run_ended_by_a_signal_leaves_no_process(
    server: Server, tmp_path: Path, number: signal.Signals
) -> None:
    port, log = free_port(), tmp_path / "log"
    var = tmp_path / "var"
    var.mkdir()
    for suffix in ("", "-wal", "-shm"):
        source = server.var / f"lotsawa.sqlite3{suffix}"
        if source.exists():
            (var / source.name).write_bytes(source.read_bytes())
    process = start(var, port, log)
    ending = Server(process=process, port=port, var=var, log=log)
    assert wait_for(lambda: "Ctrl-C ends" in log.read_text()), log.read_text()

    process.send_signal(number)

    assert process.wait(40) == (0 if number != signal.SIGKILL else -signal.SIGKILL)
    assert wait_for(lambda: not ending.processes(), seconds=30), ending.processes()
