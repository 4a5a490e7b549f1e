"""Reviewers judge a round over HTTP while web server and worker are killed: none lost, none double.

python -m benchmarks.review_faults [--sizes 200,2000] [--people 32] [--databases sqlite,postgresql]

On SQLite with the embedded broker, and on PostgreSQL with Redis where both answer. Every reviewer
behaves like the page's script and, by seeded chance, hangs up before the answer, takes a judgement
back, skips an item, or leaves with items reserved until their time is over. `kill -9` ends the web
server at each quarter of the judgements and the worker in the middle of an import.

Prints what happened, judgements a second and their growth. Exits with 1 unless the round holds two
judgements in force an item, each by somebody else, with every acknowledged one among them and none
stored twice.
"""

import argparse
import contextlib
import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from benchmarks.fresh_site import make_tables, report
from benchmarks.import_under_load import queue_import, write_texts
from benchmarks.page_reviews import CROWD, Place, Visitor, wait_until_ready
from benchmarks.review import ROOT, database, environment_of, own_folder
from scripts.run import Part, commands, start

PANEL = 2
KILLS = (0.25, 0.5, 0.75)  # shares of the judgements at which the web server is killed
HANG_UP, UNDO, SKIP, LEAVE = 0.03, 0.03, 0.01, 0.01
LONGEST_SECONDS = 900
JUDGEMENT = re.compile(rb'data-judgement="(\d+)"')
FAULTS_OF_CONNECTION = (OSError, http.client.HTTPException)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="200,2000", help="items of the rounds")
    parser.add_argument("--people", type=int, default=CROWD)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--redis", default="redis://127.0.0.1:6379/9", help="an empty database")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, list(map(int, options.sizes.split(","))), options)
    statuses = [in_child(name, options) for name in options.databases.split(",")]
    return max(statuses)


def in_child(name: str, options: argparse.Namespace) -> int:
    """Measure one database in a new process with its settings in the environment."""
    broker = contextlib.nullcontext("") if name == "sqlite" else empty_redis(options.redis)
    with database(name) as url, broker as redis, own_folder() as var:
        if url is None or redis is None:
            return 0
        environment = {**environment_of(var, url, redis), "LOTSAWA_LOG_LEVEL": "ERROR"}
        command = [sys.executable, "-m", "benchmarks.review_faults", "--measure", name]
        command += ["--sizes", options.sizes, "--people", str(options.people)]
        command += ["--seed", str(options.seed)]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


@contextmanager
def empty_redis(url: str) -> Iterator[str | None]:
    """Yield the address of an empty Redis database, and empty it again; None without a server."""
    import redis

    client = redis.Redis.from_url(url, socket_connect_timeout=5)
    try:
        size: Any = client.dbsize()
    except redis.RedisError as error:
        print(f"no Redis server, measured on SQLite only: {error}", file=sys.stderr)
        yield None
        return
    if size:
        raise SystemExit(f"{url} is not empty; name another database with --redis.")
    try:
        yield url
    finally:
        client.flushdb()


def measure(name: str, sizes: Sequence[int], options: argparse.Namespace) -> int:
    make_tables()
    told = [Campaign(name, size, options.people, options.seed).run() for size in sizes]
    if len(told) > 1:
        report(f"faults_rate_{name}_growth", told[-1].rate / told[0].rate, "x", sizes[-1])
    return 1 if any(each.faults for each in told) else 0


class Reviewer(Visitor):
    """A visitor with an outbox and bad habits, who repeats what is not acknowledged."""

    def __init__(self, port: int, place: Place, session: str, chance: random.Random) -> None:
        super().__init__(port, place, session)
        self.chance = chance
        self.acknowledged: dict[str, int] = {}  # judgement by idempotency key, without those undone
        self.undo_unclear: set[str] = set()  # refused, perhaps as a first answer was lost
        self.last = ""
        self.seen: Counter[str] = Counter()

    def work(self, over: threading.Event) -> None:
        """Judge until the round is over; raises what no reviewer should meet."""
        while not over.is_set():
            if not self.has_item(over):
                over.wait(self.chance.uniform(0.2, 0.6))
                continue
            habit = self.chance.random()
            if habit < UNDO and self.last:
                self.undo(over)
            elif habit < UNDO + SKIP:
                self.skip(over)
            elif habit < UNDO + SKIP + LEAVE:
                self.seen["left"] += 1
                self.forget_device()
                over.wait(self.chance.uniform(1, 3))
            else:
                self.submit(over)

    def has_item(self, over: threading.Event) -> bool:
        """Take the next item on the device, or from the server; return False if there is none now."""
        if "assignment" in self.fields:
            return True
        if self.kept:
            self.fields.update(self.kept.pop(0))
            return True
        _status, body = self.send("GET", "workbench/", None, over)
        self.read(body)
        if "assignment" not in self.fields:
            self.send("POST", "claim/", self.token(), over)
            _status, body = self.send("GET", "workbench/", None, over)
            self.read(body)
        if "assignment" in self.fields:
            _status, body = self.send("POST", "reserve/", self.token(), over)
            self.keep(body)
        return "assignment" in self.fields

    def submit(self, over: threading.Event) -> None:
        """Send a judgement until it is answered; now and then without waiting for the first answer."""
        form, key = self.approval(), self.fields["idempotency_key"]
        if self.chance.random() < HANG_UP:
            self.hang_up(form)
        status, body = self.send("POST", "submit/", form, over)
        self.fields.pop("assignment")
        if status == HTTPStatus.OK and (found := JUDGEMENT.search(body)):
            self.acknowledged[key] = int(found[1])
            self.last = key
            self.seen["judged"] += 1
            self.keep(body)
        elif status == HTTPStatus.OK:  # stored, but the next items could not be read at once
            self.seen["judged"] += 1
            self.acknowledged[key] = 0
            self.last = ""
        elif status == HTTPStatus.CONFLICT:
            self.seen["refused"] += 1
        elif status:
            raise RuntimeError(f"submit: {status} {body[:300]!r}")

    def undo(self, over: threading.Event) -> None:
        """Take the last judgement back, if its panel and the clock allow it."""
        key, self.last = self.last, ""
        form = f"{self.token()}&judgement={self.acknowledged[key]}"
        status, _body = self.send("POST", "undo/", form, over)
        if status == HTTPStatus.OK:
            del self.acknowledged[key]
            self.seen["undone"] += 1
            self.forget_device()
        elif status in (0, HTTPStatus.CONFLICT):
            self.undo_unclear.add(key)
        else:
            raise RuntimeError(f"undo: {status}")

    def skip(self, over: threading.Event) -> None:
        said = {"assignment": self.fields.pop("assignment"), "reason": "not_my_field", "note": ""}
        form = f"{self.token()}&{urlencode(said)}"
        status, body = self.send("POST", "skip/", form, over)
        self.seen["skipped"] += status == HTTPStatus.OK
        if status == HTTPStatus.OK:
            self.keep(body)

    def forget_device(self) -> None:
        """Forget everything but who the reviewer is, as on a new device."""
        self.kept.clear()
        self.fields.pop("assignment", None)

    def token(self) -> str:
        return urlencode({"csrfmiddlewaretoken": self.fields["csrfmiddlewaretoken"]})

    def hang_up(self, form: str) -> None:
        """Send a judgement and close the connection before the answer has come."""
        with contextlib.suppress(*FAULTS_OF_CONNECTION):
            headers = {
                "Cookie": f"sessionid={self.session}; csrftoken={self.csrf}",
                "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8",
            }
            self.client.request("POST", f"{self.place.base}/submit/", form, headers)
            time.sleep(self.chance.choice((0, 0.01, 0.05)))
        self.client.close()
        self.seen["hung up"] += 1

    def send(
        self, method: str, name: str, form: str | None, over: threading.Event
    ) -> tuple[int, bytes]:
        """Return the answer after as many tries as it takes; status 0 if the round ends before."""
        while not over.is_set():
            with contextlib.suppress(*FAULTS_OF_CONNECTION):
                status, body = self.ask(method, f"{self.place.base}/{name}", form)
                if status < HTTPStatus.INTERNAL_SERVER_ERROR:
                    return status, body
                self.seen[f"answers {status}"] += 1
            self.client.close()
            self.seen["tried again"] += 1
            over.wait(self.chance.uniform(0.2, 0.8))
        return 0, b""


@dataclass
class Campaign:
    """One round judged under faults, and the faults that it must not leave."""

    name: str
    size: int
    people: int
    seed: int
    rate: float = 0.0
    faults: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def run(self) -> "Campaign":
        place = Place.filled(self.size, people=self.people)
        job = queue_import(place.slug, write_texts(self.size))
        with site() as parts:
            crowd = [
                Reviewer(parts.port, place, session, random.Random(f"{self.seed}/{number}"))
                for number, session in enumerate(place.sessions)
            ]
            self.rate = self.judge(crowd, parts, place, job)
            self.wait_for(job)
        self.tell(crowd, place)
        return self

    def judge(self, crowd: Sequence[Reviewer], parts: "Site", place: Place, job: int) -> float:
        """Let everybody work, kill processes; return the judgements in force per second."""
        over, began = threading.Event(), time.monotonic()
        threads = [threading.Thread(target=self.work, args=(one, over)) for one in crowd]
        for thread in threads:
            thread.start()
        try:
            self.disturb(parts, place, job)
        finally:
            seconds = time.monotonic() - began
            over.set()
            for thread in threads:
                thread.join(90)
        return PANEL * self.size / seconds

    def work(self, reviewer: Reviewer, over: threading.Event) -> None:
        try:
            reviewer.work(over)
        except Exception as error:  # noqa: BLE001 - a thread's fault is told at the end
            self.broken.append(repr(error))

    def disturb(self, parts: "Site", place: Place, job: int) -> None:
        """Kill and restart until every judgement is there."""
        from jobs.models import Job
        from review.models import Round

        rounds = Round.objects.filter(project__slug=place.slug, number=place.number)
        whole, kills, is_worker_killed = PANEL * self.size, list(KILLS), False
        deadline = time.monotonic() + LONGEST_SECONDS
        while (done := rounds.values_list("judged_count", flat=True).get()) < whole:
            if not is_worker_killed and Job.objects.get(pk=job).done:
                parts.kill("worker")
                is_worker_killed = True
            if kills and done >= kills[0] * whole:
                kills.pop(0)
                parts.kill("web server")
                expire_some(rounds.get())
            if time.monotonic() > deadline or len(self.broken) == self.people:
                self.broken.append(f"{done} of {whole} judgements when time was over")
                return
            time.sleep(0.1)

    def wait_for(self, pk: int) -> None:
        """Wait until the worker's job ends well, whatever happened to the worker."""
        from jobs.enums import ENDED_JOB_STATES, JobState
        from jobs.models import Job

        deadline = time.monotonic() + LONGEST_SECONDS
        while (job := Job.objects.get(pk=pk)).state not in ENDED_JOB_STATES:
            if time.monotonic() > deadline:
                break
            time.sleep(0.2)
        self.must_be_none("jobs_not_done", int(job.state != JobState.DONE), 1)

    def tell(self, crowd: Sequence[Reviewer], place: Place) -> None:
        from review.models import Judgement, Round

        round_ = Round.objects.get(project__slug=place.slug, number=place.number)
        rows = Judgement.objects.filter(panel__round=round_)
        stored = Counter(rows.values_list("idempotency_key", flat=True))
        ever = set(
            Judgement.all_rows.filter(panel__round=round_).values_list("idempotency_key", flat=True)
        )
        told = {key for one in crowd for key in one.acknowledged}
        unclear = set().union(*(one.undo_unclear for one in crowd))
        pairs = Counter(rows.values_list("panel", "reviewer"))
        panels = Counter(rows.values_list("panel", flat=True))
        self.say("judgements_in_force", rows.count(), rows.count())
        self.say("rate", self.rate, rows.count(), "1/s")
        for habit, count in sorted(sum((one.seen for one in crowd), Counter()).items()):
            self.say(habit.replace(" ", "_"), count, rows.count())
        whole = PANEL * self.size
        self.must_be_none("judgements_missing_or_too_many", abs(rows.count() - whole), whole)
        self.must_be_none("count_of_round_wrong", abs(round_.judged_count - whole), whole)
        self.must_be_none("lost", len(told - ever), len(told))
        self.must_be_none(
            "withdrawn_unasked", len((told & ever) - unclear - set(stored)), len(told)
        )
        self.must_be_none("double", sum(n - 1 for n in stored.values()), len(stored))
        self.must_be_none("twice_on_an_item", sum(n > 1 for n in pairs.values()), len(pairs))
        self.must_be_none("wrong_panels", sum(n != PANEL for n in panels.values()), len(panels))
        self.must_be_none("undecided", round_.panels.filter(outcome="").count(), self.size)
        self.must_be_none("people_who_failed", len(self.broken), self.people)
        for words in self.broken[:3]:
            print(words, file=sys.stderr)

    def say(self, name: str, value: float, n: int, unit: str = "") -> None:
        report(f"faults_{name}_{self.name}_{self.size}_items", value, unit, n)

    def must_be_none(self, name: str, value: int, n: int) -> None:
        self.say(name, value, n)
        if value:
            self.faults.append(name)
            print(f"{name} is {value} and must be 0", file=sys.stderr)


def expire_some(round_: Any) -> None:
    """Expire half of the reservations, as after a long absence."""
    from django.utils import timezone

    from review.enums import SeatState
    from review.models import Assignment

    held = Assignment.objects.filter(round=round_, state=SeatState.CLAIMED).order_by("pk")
    half = list(held.values_list("pk", flat=True))[::2]
    Assignment.objects.filter(pk__in=half, state=SeatState.CLAIMED).update(
        expires_at=timezone.now()
    )


@dataclass
class Site:
    """Web server and worker as `make run` starts them, which can be killed and restarted."""

    port: int
    parts: dict[str, Part] = field(default_factory=dict)

    def start(self, name: str) -> None:
        command = dict(commands(port=self.port, stand_in_port=1))[name]
        self.parts[name] = start(name, command)
        if name == "web server":
            wait_until_ready(self.parts[name].process, self.port)

    def kill(self, name: str) -> None:
        """`kill -9` to the process and its children, then start it again."""
        process = self.parts[name].process
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.start(name)


@contextmanager
def site() -> Iterator[Site]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    running = Site(port)
    try:
        running.start("worker")
        running.start("web server")
        yield running
    finally:
        for part in running.parts.values():
            os.killpg(part.process.pid, signal.SIGTERM)
            try:
                part.process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(part.process.pid, signal.SIGKILL)
                part.process.wait()


if __name__ == "__main__":
    sys.exit(main())
