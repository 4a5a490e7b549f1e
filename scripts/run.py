"""Starts web server, two workers and the demo's stand-in endpoint, and ends them together.

    PORT=8000 .venv/bin/python scripts/run.py

A part that dies is started again, later and later if it keeps dying. Only the web server ends
everything when it cannot live: pages stay there, and say so, while no worker runs.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "config" / "demo"
# What the stand-in models are told the answers of: the items, then every text of them.
DEMO_FILES = ("items.jsonl", "translations.jsonl", "second_system.jsonl", "corrections.jsonl")

READY_SECONDS = 90
GRACE_SECONDS = 20
POLL_SECONDS = 0.2
SHORTEST_LIFE_SECONDS = 10
MOST_SHORT_LIVES = 3
LONGEST_PAUSE_SECONDS = 60
WEB_SERVER = "web server"
PR_SET_PDEATHSIG = 1


class CannotRun(Exception):
    """Lotsawa cannot start; the message is for the person at the terminal."""


@dataclass(slots=True)
class Part:
    """One process of the four, how often in a row it died young, and when it starts again."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes]
    started_at: float
    short_lives: int = field(default=0)
    starts_at: float | None = field(default=None)


def main() -> int:
    """Run until SIGINT, SIGTERM or SIGHUP; return 0 if asked to end, 1 if it cannot run."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    os.umask(0o077)  # what we and our children write is for this user alone
    parts: list[Part] = []
    try:
        serve(parts, port=wanted_port())
    except KeyboardInterrupt:
        print("\nEnding web server and workers …", flush=True)
    except CannotRun as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    finally:
        end(parts)
    return 0


def serve(parts: list[Part], *, port: int) -> None:
    """Start every part into `parts`, say where Lotsawa is, then keep them alive for ever."""
    address = f"http://127.0.0.1:{port}"
    stand_in_port = settle_stand_in_port()
    if setting("LOTSAWA_SITE_URL") is None:
        os.environ["LOTSAWA_SITE_URL"] = address
    if setting("LOTSAWA_LOG_LEVEL") is None:
        os.environ["LOTSAWA_LOG_LEVEL"] = "WARNING"
    accounts = load_demo(f"http://127.0.0.1:{stand_in_port}/v1")
    for name, command in commands(port=port, stand_in_port=stand_in_port):
        parts.append(start(name, command))
    wait_until_ready(parts, address)
    print(f"\nLotsawa is at {address}\n\n{accounts}\nCtrl-C ends it.", flush=True)
    while True:
        time.sleep(POLL_SECONDS)
        revive(parts)


def commands(*, port: int, stand_in_port: int) -> Iterator[tuple[str, list[str]]]:
    """Yield name and command line of each part."""
    python = [sys.executable, "-m"]
    # Two processes keep two processors busy; SQLite's one writer is not what they wait for.
    processes = os.environ.get("LOTSAWA_WEB_PROCESSES", "1")
    web = f"gunicorn config.wsgi --workers {processes} --threads 4 --worker-class gthread"
    web += f" --bind 127.0.0.1:{port} --graceful-timeout 5 --log-level warning"
    yield WEB_SERVER, [*python, *web.split()]
    # A run waits for its endpoint for hours; imports and releases do not wait for it.
    for name, queues in (
        ("worker", "default,embed,submissions"),
        ("calls worker", "calls,submission-calls"),
    ):
        yield name, [sys.executable, *worker_words(queues)]
    keys = [word for name in DEMO_FILES for word in ("--keys", str(DEMO / name))]
    stand_in = f"endpoints.providers.stand_in --port {stand_in_port}"
    yield "stand-in endpoint", [*python, *stand_in.split(), *keys]


def worker_words(queues: str) -> list[str]:
    """Return the command of a worker: Celery's with Redis, else our own."""
    if setting("LOTSAWA_REDIS_URL"):
        words = f"-m celery --quiet -A config worker -P solo -Q {queues}"
        return words.split()
    return ["manage.py", "work", "--queues", queues]


def wanted_port() -> int:
    """Return the port that PORT names; raises CannotRun if it is no port or taken."""
    text = os.environ.get("PORT", "8000")
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise CannotRun(f"PORT is {text!r}; it must be a number from 1 to 65535.")
    if not is_free(int(text)):
        raise CannotRun(f"Port {text} is taken; choose another: make run PORT=8080")
    return int(text)


def settle_stand_in_port() -> int:
    """Return the stand-in's port: the same at every start, since model specs name it."""
    folder = data_folder()
    record = folder / "stand_in_port"
    if record.exists():
        port = int(record.read_text(encoding="ascii"))
        if not is_free(port):
            raise CannotRun(
                f"Port {port}, which the demo's stand-in endpoint had before, is taken: is Lotsawa "
                f"running already? If not, remove {record} and start again."
            )
        return port
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    record.write_text(f"{port}\n", encoding="ascii")
    return port


def is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def setting(name: str) -> str | None:
    """Return the value of `name` in the environment, or else in `.env`."""
    dotenv = ROOT / ".env"
    lines = dotenv.read_text(encoding="utf-8").splitlines() if dotenv.exists() else []
    given = dict(line.strip().split("=", 1) for line in lines if "=" in line)
    written = given.get(name)
    return os.environ.get(name, None if written is None else written.strip().strip("\"'"))


def data_folder() -> Path:
    """Return the folder of the database and all files."""
    return ROOT / (setting("LOTSAWA_VAR") or "var")


def load_demo(endpoint: str) -> str:
    """Load the demo, with its models at `endpoint`; return the lines about its accounts."""
    command = [sys.executable, "manage.py", "load_demo", "--endpoint", endpoint]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise CannotRun("The demo could not be loaded.")
    return done.stdout


def start(name: str, command: list[str]) -> Part:
    """Start a part in its own process group, so that only we get the terminal's Ctrl-C."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        process_group=0,
        preexec_fn=_end_with_parent,  # noqa: PLW1509 (we have one thread)
    )
    return Part(name=name, command=command, process=process, started_at=time.monotonic())


def wait_until_ready(parts: list[Part], address: str) -> None:
    """Return when the web server answers and the workers are there, or keep dying.

    Raises CannotRun if the web server dies or is too slow.
    """
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        revive(parts, patience=1)
        state = health(address)
        is_worker_settled = state.get("worker") == "ok" or any(part.short_lives for part in parts)
        if state.get("web") == "ok" and is_worker_settled:
            return
        time.sleep(POLL_SECONDS)
    if state.get("web") != "ok":
        raise CannotRun(f"Lotsawa was not ready after {READY_SECONDS} seconds; /healthz: {state}")
    print("A worker is not there yet; its jobs wait until it is.", file=sys.stderr, flush=True)


def health(address: str) -> dict[str, str]:
    """Return the answer of /healthz, or nothing while there is none.

    Raises CannotRun if it answers with a fault of the program, which waiting does not cure.
    """
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=5) as answer:
            state: dict[str, str] = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == HTTPStatus.INTERNAL_SERVER_ERROR:
            raise CannotRun("The web server fails to answer; its reasons are above.") from error
        return {}
    except (OSError, ValueError):
        return {}
    return state


def revive(parts: list[Part], *, patience: int = MOST_SHORT_LIVES) -> None:
    """Restart parts that have died, after a pause if they died young.

    Raises CannotRun for a web server that has died young `patience` times in a row. A worker may
    be dying of one job, which fails after its attempts, so it is always given another life.
    """
    for index, part in enumerate(parts):
        if part.starts_at is not None:
            if time.monotonic() >= part.starts_at:
                parts[index] = start(part.name, part.command)
                parts[index].short_lives = part.short_lives
        elif (status := part.process.poll()) is not None:
            bury(part, status, patience)


def bury(part: Part, status: int, patience: int) -> None:
    """Say that `part` has ended and settle when it starts again."""
    now = time.monotonic()
    is_young = now - part.started_at < SHORTEST_LIFE_SECONDS
    part.short_lives = part.short_lives + 1 if is_young else 0
    if part.name == WEB_SERVER and part.short_lives >= patience:
        raise CannotRun(
            f"The {part.name} keeps ending (status {status}), so Lotsawa stops. "
            "The reason should be above."
        )
    pause = pause_after(part.short_lives)
    part.starts_at = now + pause
    when = f"in {pause} seconds" if pause else "now"
    line = f"The {part.name} ended (status {status}) and starts again {when}."
    if part.name != WEB_SERVER:
        line += " The web server goes on."
    print(line, file=sys.stderr, flush=True)


def pause_after(short_lives: int) -> int:
    """Return the seconds until a part restarts: 0 the first time, then 2, 4, 8 … up to a minute."""
    return min(LONGEST_PAUSE_SECONDS, 2 ** (short_lives - 1)) if short_lives > 1 else 0


def end(parts: list[Part]) -> None:
    """Ask every part to end, wait, and kill those that do not end in time."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for part in parts:
        if part.process.poll() is None:
            part.process.terminate()
    deadline = time.monotonic() + GRACE_SECONDS
    for part in parts:
        with contextlib.suppress(subprocess.TimeoutExpired):
            part.process.wait(max(0.1, deadline - time.monotonic()))
        if part.process.poll() is None:
            part.process.kill()
            part.process.wait()


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    """Let the kernel end this child when we are killed, so that it does not keep its port."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
