"""Measures reviews through the page: CPU of the server, 32 people at once, and bytes on the wire.

python -m benchmarks.page_reviews [--sizes 1000,100000] [--databases sqlite,postgresql]
    [--parts cpu,crowd,browser,history]

The web server runs as `make run` starts it, on loopback, over projects of 1,000 and of 100,000
items. "cpu" is one person after whom the server's processor time is read, "crowd" is 32 people
who never pause to think, "browser" is Chromium driven by keys, at last on a slow line. "history"
compares somebody who has judged thousands of items with somebody who begins, in the same round.
Costs are printed beside a reference (benchmarks/reference.py).
"""

import argparse
import gzip
import http.client
import os
import re
import signal
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.fresh_site import make_tables, report
from benchmarks.page_browser import measure_browser
from benchmarks.reference import report_by_reference
from benchmarks.review import RATINGS, database, fill, measure_in_child, session_of
from scripts.run import commands, start

ROOT = Path(__file__).resolve().parents[1]
REVIEWS = 300
CROWD, CROWD_SECONDS = 32, 10
THINKING_SECONDS = 60
PARTS = "cpu,crowd,browser,history"
HISTORY = 5_000
"""Judgements of somebody who has worked for weeks."""
FIELD = re.compile(
    rb'name="(assignment|revision|idempotency_key|csrfmiddlewaretoken)"\s+value="([^"]*)"'
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,100000", help="items of the projects")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--parts", default=PARTS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, list(map(int, options.sizes.split(","))), options.parts.split(","))
        return
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                measure_in_child(
                    "benchmarks.page_reviews",
                    name,
                    url,
                    ["--sizes", options.sizes, "--parts", options.parts],
                )


def measure(name: str, sizes: Sequence[int], parts: Sequence[str]) -> None:
    make_tables()
    costs = [measure_size(name, items, parts) for items in sizes]
    if all(costs) and len(costs) > 1:
        report(f"page_review_cpu_{name}_growth", costs[-1] / costs[0], "x", REVIEWS)
    if "history" in parts:
        measure_history(name)


def measure_history(name: str) -> None:
    """Measure a review by somebody with `HISTORY` judgements, and by somebody with none."""
    filled = fill(2 * HISTORY, judged=HISTORY)
    (newcomer,) = add_reviewers(filled.slug, 1)
    place = Place(filled.slug, filled.number, [newcomer])
    veteran = filled.sessions["reviewer"]
    with server() as (port, pid):
        begun = cpu_of_reviews(Visitor(port, place, newcomer), pid, REVIEWS)
        later = cpu_of_reviews(Visitor(port, place, veteran), pid, REVIEWS)
    report(f"page_review_cpu_{name}_begun", begun, "ms", REVIEWS)
    report(f"page_review_cpu_{name}_after_{HISTORY}", later, "ms", REVIEWS)
    report(f"page_review_cpu_{name}_history_growth", later / begun, "x", REVIEWS)


def measure_size(name: str, items: int, parts: Sequence[str]) -> float:
    """Print every figure of one project of `items`; return the CPU of a review in ms."""
    place = Place.filled(items)
    cost = 0.0
    with server() as (port, pid):
        visitor = Visitor(port, place, place.sessions[0])
        if "cpu" in parts:
            count = min(REVIEWS, items // 2)
            cost = cpu_of_reviews(visitor, pid, count)
            report_by_reference(f"page_review_cpu_{name}_{items}_items", cost, count)
            report(f"page_review_bytes_{name}_{items}_items", visitor.bytes_each, "B", count)
        if "browser" in parts:
            bench = f"http://127.0.0.1:{port}{place.base}/workbench/"
            cpu = partial(cpu_seconds, pid)
            measure_browser(f"{name}_{items}_items", bench, place.sessions[-1], cpu)
        if "crowd" in parts:  # the last: a quick server leaves nothing of a small round
            measure_crowd(name, items, port, pid, place)
    return cost


@dataclass(frozen=True)
class Place:
    """A project with an open round, and the sessions of its reviewers."""

    slug: str
    number: int
    sessions: Sequence[str]

    @classmethod
    def filled(cls, items: int, people: int = CROWD + 2) -> "Place":
        filled = fill(items)
        return cls(filled.slug, filled.number, add_reviewers(filled.slug, people))

    @property
    def base(self) -> str:
        return f"/projects/{self.slug}/rounds/{self.number}"


def add_reviewers(slug: str, count: int) -> list[str]:
    """Create reviewers and sign them in; return their session keys."""
    from django.utils import timezone

    from accounts.actions import create_user
    from projects.models import Membership, Project

    project, now = Project.objects.get(slug=slug), timezone.now()
    sessions = []
    for number in range(count):
        user = create_user(
            email=f"r{number}@{slug}.example.org",
            name=f"R {number}",
            password=None,
            actor=None,
            now=now,
        )
        Membership.objects.create(project=project, user=user, role="reviewer", created_at=now)
        sessions.append(session_of(user))
    return sessions


@dataclass
class Visitor:
    """One reviewer's browser, as far as the server can tell: cookies, form fields and headers."""

    port: int
    place: Place
    session: str
    fields: dict[str, str] = field(default_factory=dict)
    kept: list[dict[str, str]] = field(default_factory=list)
    csrf: str = ""
    reviews: int = 0
    received: int = 0

    def __post_init__(self) -> None:
        self.client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    @property
    def bytes_each(self) -> float:
        return self.received / max(1, self.reviews)

    def arrive(self) -> None:
        """Open the workbench, take the first item and have the next ones reserved."""
        status, body = self.ask("GET", f"{self.place.base}/workbench/")
        if b'name="assignment"' not in body:
            self.read(body)
            form = urlencode({"csrfmiddlewaretoken": self.fields["csrfmiddlewaretoken"]})
            self.ask("POST", f"{self.place.base}/claim/", form)
            status, body = self.ask("GET", f"{self.place.base}/workbench/")
        if status != 200 or b'name="assignment"' not in body:
            raise RuntimeError(f"no item: {status} {body[:300]!r}")
        self.read(body)
        form = urlencode({"csrfmiddlewaretoken": self.fields["csrfmiddlewaretoken"]})
        _status, body = self.ask("POST", f"{self.place.base}/reserve/", form)
        self.keep(body)

    def approval(self) -> str:
        """Return the form of the current item, approved."""
        said = {
            "verdict": "approve",
            **RATINGS,
            "comment": "",
            "question": "",
            "active_seconds": 40,
        }
        return urlencode({**self.fields, **said})

    def judge(self) -> None:
        """Submit an approval, keep the item in the answer and take the next one."""
        form = self.approval()
        del self.fields["assignment"]
        status, body = self.ask("POST", f"{self.place.base}/submit/", form)
        if status != 200:
            raise RuntimeError(f"submit: {status} {body[:300]!r}")
        self.reviews += 1
        self.keep(body)
        if not self.kept:
            raise NothingLeft
        self.fields.update(self.kept.pop(0))

    def keep(self, body: bytes) -> None:
        """Keep the items of an answer, each in a template of its own."""
        for item in body.split(b"<template data-seat=")[1:]:
            found = {name.decode(): value.decode() for name, value in FIELD.findall(item)}
            self.kept.append(found)

    def read(self, body: bytes) -> None:
        for name, value in FIELD.findall(body):
            self.fields[name.decode()] = value.decode()

    def seats(self) -> list[str]:
        """Return the seats of the items on this device."""
        shown = [self.fields["assignment"]] if "assignment" in self.fields else []
        return [*shown, *(each["assignment"] for each in self.kept)]

    def ask(self, method: str, path: str, form: str | None = None) -> tuple[int, bytes]:
        """Return status and body of the answer; for a redirect, its address is the body."""
        cookie = f"sessionid={self.session}" + (f"; csrftoken={self.csrf}" if self.csrf else "")
        headers = {
            "Cookie": cookie,
            "Accept-Encoding": "gzip",
            "Accept": "application/json, text/html;q=0.9",
            "X-Requested-With": "fetch",
            "Lotsawa-Fragment": "items",
            "Lotsawa-Have": ",".join(self.seats()),
        }
        if form is None:
            headers["Accept"] = "text/html"
            del headers["Lotsawa-Fragment"]
        else:
            headers["Content-Type"] = "application/x-www-form-urlencoded;charset=UTF-8"
        answer = self.exchange(method, path, form, headers)
        body = answer.read()
        self.received += len(body) + sum(len(k) + len(v) + 4 for k, v in answer.getheaders())
        for one in answer.headers.get_all("Set-Cookie") or []:
            if one.startswith("csrftoken="):
                self.csrf = one.partition("=")[2].partition(";")[0]
        if answer.status == 303:
            return 303, (answer.headers["Location"] or "").encode()
        return answer.status, gzip.decompress(body) if answer.headers.get(
            "Content-Encoding"
        ) else body

    def exchange(
        self, method: str, path: str, form: str | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        """Send a request; once more on a new connection if the server had closed the idle one."""
        try:
            self.client.request(method, path, body=form, headers=headers)
            return self.client.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            self.client.close()
            self.client.request(method, path, body=form, headers=headers)
            return self.client.getresponse()


class NothingLeft(Exception):
    """The round has no item left for this person."""


def cpu_of_reviews(visitor: Visitor, pid: int, count: int) -> float:
    """Return the web server's CPU for each of `count` reviews, over all its processes, in ms."""
    visitor.arrive()
    for _warm_up in range(10):
        visitor.judge()
    visitor.received = visitor.reviews = 0
    before = cpu_seconds(pid)
    for _number in range(count):
        visitor.judge()
    return 1000 * (cpu_seconds(pid) - before) / count


def measure_crowd(name: str, items: int, port: int, pid: int, place: Place) -> None:
    """Measure 32 people who submit as fast as they are answered."""
    visitors = [Visitor(port, place, session) for session in place.sessions[1 : CROWD + 1]]
    for visitor in visitors:
        visitor.arrive()
    times: list[float] = []
    faults: list[str] = []
    deadline = time.monotonic() + CROWD_SECONDS
    start, before, own = time.monotonic(), cpu_seconds(pid), time.process_time()
    threads = [
        threading.Thread(target=work, args=(visitor, deadline, times, faults), daemon=True)
        for visitor in visitors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(CROWD_SECONDS + 60)
    seconds = time.monotonic() - start
    if faults:
        raise RuntimeError(f"{len(faults)} of the crowd failed: {faults[0]}")
    rate, n = len(times) / seconds, len(times)
    cuts = statistics.quantiles(times, n=100)
    where = f"{name}_{items}_items"
    report(f"page_crowd_{CROWD}_reviews_per_second_{where}", rate, "1/s", n)
    report(f"page_crowd_{CROWD}_median_{where}", 1000 * cuts[49], "ms", n)
    report(f"page_crowd_{CROWD}_p95_{where}", 1000 * cuts[94], "ms", n)
    report(f"page_crowd_{CROWD}_cpu_{where}", 1000 * (cpu_seconds(pid) - before) / n, "ms", n)
    own = time.process_time() - own
    report(f"page_crowd_{CROWD}_cpu_of_the_people_{where}", 1000 * own / n, "ms", n)
    # Half of what it can do, so that answers stay quick when many submit in the same moment.
    report(f"page_people_carried_{where}", rate * THINKING_SECONDS / 2, "people", n)


def work(visitor: Visitor, deadline: float, times: list[float], faults: list[str]) -> None:
    try:
        while (start := time.monotonic()) < deadline:
            visitor.judge()
            times.append(time.monotonic() - start)
    except NothingLeft:
        return
    except (
        RuntimeError,
        OSError,
        http.client.HTTPException,
    ) as error:  # a thread's fault is told by the caller
        faults.append(repr(error))


@contextmanager
def server(threads: int = 0) -> Iterator[tuple[int, int]]:
    """Run the web server as `make run` does; yield its port and the id of its first process.

    `threads` are others than it has there.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = dict(commands(port=port, stand_in_port=1))["web server"]
    if threads:
        command[command.index("--threads") + 1] = str(threads)
    process = start("web server", command).process
    try:
        wait_until_ready(process, port)
        yield port, process.pid
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    for _try in range(600):
        if process.poll() is not None:
            raise RuntimeError("the web server did not start")
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            client.request("GET", "/healthz")
            client.getresponse().read()
        except OSError:
            time.sleep(0.1)
        else:
            return
        finally:
            client.close()
    raise RuntimeError("the web server was not ready after a minute")


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of a process and its living children."""
    return sum(_own_seconds(one) for one in (pid, *children_of(pid)))


def children_of(pid: int) -> list[int]:
    """Return the living processes that the main thread of a process started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _own_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
