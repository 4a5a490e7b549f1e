"""Reviewers submit over HTTP while a worker imports translations on SQLite, and a backup is taken.

python -m benchmarks.import_under_load [--sizes 20000,100000] [--people 32] [--pause 2.0]

Web server and worker run as `make run` starts them. The reviewers use the page's own route and
behave like the page's script: after 502, 503 or 504 they wait and send the same judgement again.
Each size is measured twice: with reviewers who pause `--pause` seconds between two judgements, half
as long or half as long again by chance, and with reviewers who never pause, who keep one processor
busy by themselves. Waiting is from the first try to the acknowledgement.

Exits with 1 if a request was answered with 500, if a judgement was lost or stored twice, if the
restored backup is damaged or lacks a judgement that was acknowledged before the backup began, or
if somebody who pauses waited longer than `--patience` seconds. What those who never pause wait for
is mostly each other; it is printed and not judged.
"""

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fresh_site import make_tables, report
from benchmarks.imports import translation
from benchmarks.page_reviews import CROWD, NothingLeft, Place, Visitor, server
from benchmarks.review import environment_of, own_folder
from scripts.run import commands, start

ROOT = Path(__file__).resolve().parents[1]
SUBJECTS = 10
QUIET_SECONDS = 5.0
NOT_NOW = (502, 503, 504)
COME_AGAIN_SECONDS = 3.0
LONGEST_IMPORT_SECONDS = 1800


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="20000,100000", help="translations to import")
    parser.add_argument("--people", type=int, default=CROWD)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between judgements")
    parser.add_argument("--patience", type=float, default=1.0, help="seconds nobody may exceed")
    parser.add_argument("--no-rush", action="store_true", help="leave out those who never pause")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options)
    sizes = list(map(int, options.sizes.split(",")))
    pauses = [options.pause] if options.no_rush else [options.pause, 0.0]
    outcomes = {(size, pause): in_child(size, pause, options) for size in sizes for pause in pauses}
    if None in outcomes.values():
        return 1
    for pause in pauses:
        seconds = [outcomes[size, pause] or 0.0 for size in sizes]
        growth = (seconds[-1] / sizes[-1]) / (seconds[0] / sizes[0])
        report(f"load_import_seconds_a_row_growth_pause_{pause:g}", growth, "x", sizes[-1])
    return 0


def in_child(size: int, pause: float, options: argparse.Namespace) -> float | None:
    """Measure in a new process and folder; return the seconds of the import, None if it failed."""
    with own_folder() as var:
        environment = environment_of(var)
        command = [sys.executable, "-m", "benchmarks.import_under_load", "--measure", str(size)]
        command += ["--people", str(options.people), "--pause", str(pause)]
        command += ["--patience", str(options.patience)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
    print(done.stdout, end="", flush=True)
    figures = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    imports = [row["value"] for row in figures if row["name"].startswith("load_import_seconds")]
    return float(imports[0]) if imports and done.returncode == 0 else None


def measure(size: int, options: argparse.Namespace) -> int:
    """Measure one import under one crowd; return 0 if every condition was met."""
    make_tables()
    place = Place.filled(size, people=options.people)
    texts = write_texts(size)
    with server() as (port, _pid), worker():
        people = [Reviewer(port, place, session) for session in place.sessions[: options.people]]
        crowd = Crowd(people, options.pause)
        with crowd.at_work():
            time.sleep(min(QUIET_SECONDS, 1 + options.pause))
            began = time.monotonic()
            seconds, backup = import_and_back_up(place.slug, texts, crowd)
            ended = time.monotonic()
    told = Figures(size, options.pause, options.patience)
    told.say_waits(crowd, began, ended, seconds)
    told.say_stored(crowd, place)
    told.say_backup(backup)
    return 1 if told.faults else 0


@contextmanager
def worker() -> Iterator[None]:
    process = start("worker", dict(commands(port=0, stand_in_port=1))["worker"]).process
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def write_texts(size: int) -> Path:
    """Write a file with a second translation of every item of the project."""
    path = Path(os.environ["LOTSAWA_VAR"]).parent / "texts.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(size):
            row = {**translation(n), "uid": f"subject-{n % SUBJECTS}/{n:06d}", "system": "second"}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


class Reviewer(Visitor):
    """A visitor who keeps what was acknowledged, and sends again what was not."""

    def __init__(self, port: int, place: Place, session: str) -> None:
        super().__init__(port, place, session)
        self.acknowledged: list[str] = []
        self.waits: list[tuple[float, float]] = []  # when sent, seconds
        self.statuses: Counter[int] = Counter()

    def review(self) -> None:
        """Submit the item in hand until it is acknowledged, then take up the next one."""
        key, form, sent = self.fields["idempotency_key"], self.approval(), time.monotonic()
        while (body := self.submit(form)) is None:
            time.sleep(COME_AGAIN_SECONDS)
        self.acknowledged.append(key)
        self.waits.append((sent, time.monotonic() - sent))
        if body.startswith(b"{"):  # stored, but the next item could not be taken at once
            self.arrive()
        elif b'name="assignment"' in body:
            self.read(body)
        else:
            raise NothingLeft

    def submit(self, form: str) -> bytes | None:
        """Return the answer to one try, or None if it should be repeated."""
        status, body = self.ask("POST", f"{self.place.base}/submit/", form)
        self.statuses[status] += 1
        if status >= 500:
            return None
        if status != 200:
            raise RuntimeError(f"submit: {status} {body[:300]!r}")
        return body


@dataclass
class Crowd:
    """Reviewers at work, each in a thread of their own."""

    people: Sequence[Reviewer]
    pause: float
    stop: threading.Event = field(default_factory=threading.Event)
    faults: list[str] = field(default_factory=list)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        for person in self.people:
            person.arrive()
        threads = [
            threading.Thread(target=self.work, args=(person, random.Random(seed)))
            for seed, person in enumerate(self.people)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def work(self, person: Reviewer, chance: random.Random) -> None:
        try:
            self.stop.wait(self.pause * chance.random())
            while not self.stop.is_set():
                person.review()
                self.stop.wait(self.pause * chance.uniform(0.5, 1.5))
        except NothingLeft:
            return
        except Exception as error:  # noqa: BLE001 - a thread's fault is told by the caller
            self.faults.append(repr(error))

    def acknowledged(self) -> list[str]:
        """Return the keys of the judgements that the server has acknowledged so far."""
        return [key for one in self.people for key in list(one.acknowledged)]

    @property
    def statuses(self) -> Counter[int]:
        return sum((one.statuses for one in self.people), Counter[int]())


@dataclass(frozen=True)
class Backup:
    """A backup, how long it took, and the judgements that were acknowledged before it began."""

    file: Path
    expected: Sequence[str]
    seconds: float

    def restored(self) -> tuple[str, set[str]]:
        """Restore it elsewhere; return the result of the integrity check and the judgements."""
        elsewhere = self.file.parent / "elsewhere"
        elsewhere.mkdir(parents=True)
        manage("restore", str(self.file), environment=environment_of(elsewhere))
        with closing(sqlite3.connect(elsewhere / "lotsawa.sqlite3")) as copy:
            [(integrity,)] = copy.execute("PRAGMA integrity_check(1)").fetchall()
            keys = copy.execute("SELECT idempotency_key FROM review_judgement").fetchall()
        return integrity, {key for (key,) in keys}


def import_and_back_up(slug: str, texts: Path, crowd: Crowd) -> tuple[float, Backup]:
    """Let the worker import the file, and take a backup when half of it is read."""
    from jobs.enums import ENDED_JOB_STATES, JobState
    from jobs.models import Job

    pk = queue_import(slug, texts)
    backup = None
    deadline = time.monotonic() + LONGEST_IMPORT_SECONDS
    size = sum(1 for _line in texts.open("rb"))
    while time.monotonic() < deadline:
        job = Job.objects.get(pk=pk)
        has_ended = job.state in ENDED_JOB_STATES
        if backup is None and (job.done > size / 2 or has_ended):
            backup = take_backup(crowd)
        if has_ended:
            break
        time.sleep(0.05)
    if job.state != JobState.DONE or job.result["joined"] != size or backup is None:
        raise RuntimeError(f"the import is {job.state}: {job.error_code} {job.result}")
    assert job.started_at
    assert job.finished_at
    return (job.finished_at - job.started_at).total_seconds(), backup


def queue_import(slug: str, texts: Path) -> int:
    from django.utils import timezone

    from accounts.models import User
    from annotation.imports.actions import start_import
    from annotation.imports.opening import ImportOptions
    from projects.models import Project

    with texts.open("rb") as file:
        import_job = start_import(
            project=Project.objects.get(slug=slug),
            file=file,
            name=texts.name,
            options=ImportOptions(),
            actor=User.objects.get(email=f"manager@{slug}.example.org"),
            now=timezone.now(),
        )
    return int(import_job.job_id)


def take_backup(crowd: Crowd) -> Backup:
    """Back up as cron does."""
    file = Path(os.environ["LOTSAWA_VAR"]).parent / "backup.zip"
    expected, began = crowd.acknowledged(), time.monotonic()
    manage("backup", str(file), prefix=["nice"])
    return Backup(file, expected, time.monotonic() - began)


def manage(
    *words: str, environment: dict[str, str] | None = None, prefix: Sequence[str] = ()
) -> None:
    command = [*prefix, sys.executable, "manage.py", *words]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


@dataclass
class Figures:
    """Prints the figures of one import, and notes which of them are faults."""

    size: int
    pause: float
    patience: float
    faults: list[str] = field(default_factory=list)

    def say(self, name: str, value: float, unit: str, n: int, *, most: float | None = None) -> None:
        """Print a figure; more than `most` of it is a fault."""
        report(f"load_{name}_{self.size}_rows_pause_{self.pause:g}", value, unit, n)
        if most is not None and value > most:
            self.faults.append(name)
            print(f"{name} is {value:g} and must not exceed {most:g}", file=sys.stderr)

    def say_waits(self, crowd: Crowd, began: float, ended: float, seconds: float) -> None:
        told = [wait for one in crowd.people for wait in one.waits]
        before = [wait for sent, wait in told if sent < began]
        during = [wait for sent, wait in told if began <= sent < ended]
        cuts = statistics.quantiles(during, n=100)
        n = len(during)
        self.say("import_seconds", seconds, "s", self.size)
        self.say("reviews", n, "", n)
        self.say("wait_longest_before_import", 1000 * max(before, default=0), "ms", len(before))
        for name, at in (("p50", 49), ("p95", 94), ("p99", 98)):
            self.say(f"wait_{name}", 1000 * cuts[at], "ms", n)
        most = 1000 * self.patience if self.pause else None
        self.say("wait_longest", 1000 * max(during), "ms", n, most=most)

    def say_stored(self, crowd: Crowd, place: Place) -> None:
        from review.models import Judgement

        statuses = crowd.statuses
        n = statuses.total()
        faults = sum(count for code, count in statuses.items() if code == 500)
        not_now = sum(statuses[code] for code in NOT_NOW)
        self.say("answers_500", faults, "", n, most=0)
        self.say("answers_503", not_now, "", n)
        rows = Judgement.objects.filter(panel__round__project__slug=place.slug)
        stored = Counter(rows.values_list("idempotency_key", flat=True))
        told = crowd.acknowledged()
        double = sum(count - 1 for count in stored.values())
        self.say("lost", sum(key not in stored for key in told), "", len(told), most=0)
        self.say("double", double, "", len(told), most=0)
        self.say("people_who_failed", len(crowd.faults), "", len(crowd.people), most=0)
        for fault in crowd.faults[:3]:
            print(fault, file=sys.stderr)

    def say_backup(self, backup: Backup) -> None:
        integrity, stored = backup.restored()
        missing = sum(key not in stored for key in backup.expected)
        self.say("backup_seconds", backup.seconds, "s", 1)
        self.say("backup_damaged", integrity != "ok", "", 1, most=0)
        self.say("backup_lacks", missing, "", len(backup.expected), most=0)


if __name__ == "__main__":
    sys.exit(main())
