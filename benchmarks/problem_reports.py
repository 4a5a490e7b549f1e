"""A thousand problem reports in a minute from one address, while a manager uses the project's pages.

python -m benchmarks.problem_reports [--reports 1000] [--seconds 60] [--databases sqlite,postgresql]

The web server runs as `make run` starts it, on loopback. Pages are timed before, after and
while reports come, evenly spread. Each figure is one JSON line; the exit code is 1 when a report
gets another answer than it should or is not sent in its time, when pages take more than MOST_RATIO
times as long, or when the whole takes more than `--limit` seconds on one database.

A database takes the minute of the reports, two times QUIET_SECONDS without them, and up to a minute
to be filled: two databases take four minutes. Standard error says what is going on.
"""

import argparse
import http.client
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from benchmarks.fresh_site import report
from benchmarks.page_reviews import children_of, cpu_seconds, server
from benchmarks.release_projects import make_project
from benchmarks.review import database, measure_in_child, session_of

ITEMS, VERSION = 200, "1.0.0"
MOST_RATIO = 2.0
QUIET_SECONDS = 10.0
GRACE_SECONDS = 5.0
"""How much later than asked for the last report may be sent."""
ANSWER_SECONDS = 20.0
PAUSE = 0.05
"""Seconds that the manager waits between two pages."""
TOKEN = re.compile(rb'name="csrfmiddlewaretoken"\s+value="([^"]*)"')
STORED, LIMITED = 302, 429


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--limit", type=float, default=240, help="seconds for each database")
    parser.add_argument("--any-ratio", action="store_true", help="on a machine that others use")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        end_after(options.limit)
        return measure(options.measure, options.reports, options.seconds, options.any_ratio)
    words = ["--reports", str(options.reports), "--seconds", str(options.seconds)]
    words += ["--limit", str(options.limit)]
    words += ["--any-ratio"] if options.any_ratio else []
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                try:
                    measure_in_child("benchmarks.problem_reports", name, url, words)
                except subprocess.CalledProcessError:
                    return 1
    return 0


def end_after(seconds: float) -> None:
    """End this process and those it started after `seconds`, whatever they wait for.

    A thread does it: what a signal's handler raises is lost where Python runs a finalizer.
    """
    timer = threading.Timer(
        seconds, _end, [f"not done within {seconds:g} seconds; --limit allows more"]
    )
    timer.daemon = True
    timer.start()


def _end(words: str) -> None:
    say(words)
    for child in children_of(os.getpid()):
        # The web server leads a group of its own, with its workers in it.
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    os._exit(1)


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def measure(name: str, count: int, seconds: float, any_ratio: bool) -> int:
    """Print the figures; return 1 if an answer or the ratio is wrong."""
    rest = min(QUIET_SECONDS, seconds / 4)
    say(f"{name}: filling the database, then {seconds + 2 * rest:g} seconds of requests")
    place = fill()
    with server() as (port, pid):
        manager = Manager(port, place)
        manager.work(until=0.0, warm_up=3)
        idle = cpu_seconds(pid)
        say(f"{name}: pages alone")
        quiet = manager.work(until=time.monotonic() + rest)
        idle = (cpu_seconds(pid) - idle) / len(quiet)
        before = cpu_seconds(pid)
        say(f"{name}: {count} reports in {seconds:g} seconds, and pages")
        with flood(port, place, count, seconds) as sent:
            busy = manager.work(until=time.monotonic() + seconds)
        spent = cpu_seconds(pid) - before - idle * len(busy)
        say(f"{name}: pages alone again")
        quiet += manager.work(until=time.monotonic() + rest)
    ratio = statistics.median(busy) / statistics.median(quiet)
    told = tell(name, count, seconds, sent, quiet, busy)
    report(f"problem_reports_page_ratio_{name}", ratio, "times", len(busy))
    number = max(1, sent.statuses.total())
    report(f"problem_reports_cpu_each_{name}", 1000 * spent / number, "ms", number)
    missed = [*told, *([] if any_ratio or ratio <= MOST_RATIO else ["pages are too slow"])]
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


@dataclass(frozen=True)
class Place:
    """A project with a release that everybody sees, and the session of its manager."""

    slug: str
    item: str
    session: str


def fill() -> Place:
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from accounts.models import User
    from jobs.progress import Progress
    from projects.actions import grant_role
    from projects.models import Project
    from releases.building.actions import BuildRequest, start_build
    from releases.building.build import build_release
    from releases.publishing.actions import publish_release
    from releases.publishing.audience import show_to_everybody

    call_command("migrate", verbosity=0)
    project, now = Project.objects.get(slug=make_project(ITEMS)), timezone.now()
    release = start_build(
        project=project, request=BuildRequest(version=VERSION), actor=None, now=now
    )
    assert release.job_id is not None
    build_release(release=release, progress=Progress(release.job_id), now=now)
    publish_release(release=release, actor=None, now=now)
    show_to_everybody(release=release, actor=None, now=now)
    user = User.objects.create_user("bench@example.org", "Bench")
    grant_role(project=project, user=user, role="manager", actor=None, now=now)
    item = release.items.order_by("position").first()
    assert item is not None
    return Place(project.slug, item.public_id, session_of(user))


class Manager:
    """Reads pages of the project one after the other."""

    def __init__(self, port: int, place: Place) -> None:
        self._client = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        self._headers = {"Cookie": f"sessionid={place.session}"}
        base = f"/projects/{place.slug}/"
        self._paths = [base + name for name in ("", "items/", "releases/", "releases/problems/")]

    def work(self, *, until: float, warm_up: int = 0) -> list[float]:
        """Return the ms of each round of all pages, without the first `warm_up`."""
        times: list[float] = []
        while time.monotonic() < until or len(times) <= warm_up:
            times.append(sum(map(self._read, self._paths)))
            time.sleep(PAUSE)
        return times[warm_up:]

    def _read(self, path: str) -> float:
        start = time.perf_counter()
        answer = ask(self._client, "GET", path, headers=self._headers)
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}")
        return 1000 * (time.perf_counter() - start)


def ask(
    client: http.client.HTTPConnection, method: str, path: str, **sent: Any
) -> http.client.HTTPResponse:
    """Send a request, and once more if the server had closed the connection after a pause."""
    try:
        client.request(method, path, **sent)
        return client.getresponse()
    except ConnectionError:
        client.close()
        client.request(method, path, **sent)
        return client.getresponse()


@dataclass
class Sent:
    """The answers to the reports, and the seconds that sending them took.

    `without_way_out` are refusals that do not say when to try again; `problem` ended the sending.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    without_way_out: int = 0
    seconds: float = 0.0
    problem: str = ""


@contextmanager
def flood(port: int, place: Place, count: int, seconds: float) -> Iterator[Sent]:
    """Send `count` reports within `seconds` from a thread; at the end those sent are answered.

    A server that is too slow for them gets fewer: what is late is not sent.
    """
    sent = Sent()
    thread = threading.Thread(target=_flood, args=(port, place, count, seconds, sent), daemon=True)
    thread.start()
    yield sent
    thread.join()


def _flood(port: int, place: Place, count: int, seconds: float, sent: Sent) -> None:
    begun = time.monotonic()
    try:
        _send(port, place, count, seconds, sent)
    except (OSError, http.client.HTTPException) as error:
        sent.problem = f"{type(error).__name__}: {error}"
    sent.seconds = time.monotonic() - begun


def _send(port: int, place: Place, count: int, seconds: float, sent: Sent) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
    path = f"/releases/{place.slug}/{VERSION}/report/"
    answer = ask(client, "GET", path)
    found = TOKEN.search(answer.read())
    cookie = (answer.headers["Set-Cookie"] or "").partition(";")[0]
    token = found[1].decode() if found else ""
    said = {"item": place.item, "kind": "wrong_key", "text": "B.", "csrfmiddlewaretoken": token}
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    begun = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, begun + number * seconds / count - time.monotonic()))
        if time.monotonic() > begun + seconds + GRACE_SECONDS:
            return
        start = time.perf_counter()
        answer = ask(client, "POST", path, body=urlencode(said), headers=headers)
        body = answer.read()
        sent.times.append(1000 * (time.perf_counter() - start))
        sent.statuses[answer.status] += 1
        if answer.status == LIMITED:
            sent.without_way_out += not (answer.headers["Retry-After"] and b"minutes" in body)


def tell(
    name: str, count: int, seconds: float, sent: Sent, quiet: list[float], busy: list[float]
) -> list[str]:
    """Print the answers and the times of pages; return the faults."""
    stored, limited = sent.statuses[STORED], sent.statuses[LIMITED]
    answered = sent.statuses.total()
    other = answered - stored - limited
    report(f"problem_reports_answered_{name}", answered, "", count)
    report(f"problem_reports_sending_{name}", sent.seconds, "s", answered)
    report(f"problem_reports_stored_{name}", stored, "", answered)
    report(f"problem_reports_limited_{name}", limited, "", answered)
    report(f"problem_reports_other_answers_{name}", other, "", answered)
    report(f"problem_reports_without_way_out_{name}", sent.without_way_out, "", limited)
    if sent.times:
        middle = statistics.median(sent.times)
        report(f"problem_reports_answer_median_{name}", middle, "ms", answered)
    for when, times in (("without", quiet), ("meanwhile", busy)):
        found = statistics.median(times)
        report(f"problem_reports_pages_{when}_median_{name}", found, "ms", len(times))
    wrong = {"other answers": other, "refusals without a way out": sent.without_way_out}
    wrong["none refused"] = int(not limited)
    wrong[f"not sent within {seconds:g} seconds"] = count - answered
    lines = [
        f"{words}: {number} ({dict(sent.statuses)})" for words, number in wrong.items() if number
    ]
    return [*lines, *([sent.problem] if sent.problem else [])]


if __name__ == "__main__":
    sys.exit(main())
