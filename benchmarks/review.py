"""Measures the review through a real server: CPU of claim + submit, and the time of each page.

python -m benchmarks.review [--scale 1.0] [--databases sqlite,postgresql] [--pages-only]

On SQLite and, where a server answers, on PostgreSQL, each in a database of its own. The CPU is
that of the web process alone, read from /proc; "behind" has half of its items judged already.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fresh_site import make_tables, report
from projects.criteria import DEFAULT_NAMES

ROOT = Path(__file__).resolve().parents[1]
RATINGS = dict.fromkeys(DEFAULT_NAMES, 4)
FEW, MANY, REVIEWS = 1_000, 100_000, 1_000
PAGE_ITEMS = (60, 10_000)
PAGE_VISITS = 7
BATCH = 5_000
TIBETAN = "རྒྱ་གར་གྱི་ལོ་ཙཱ་བ་དང་བོད་ཀྱི་མཁས་པ་རྣམས་ཀྱིས་ཆོས་མང་པོ་བསྒྱུར། "
OPTIONS = ["གཅིག་ཡིན།", "གཉིས་ཡིན།", "གསུམ་ཡིན།", "བཞི་ཡིན།"]
WEB = "gunicorn config.wsgi --workers 1 --threads 4 --worker-class gthread --log-level error"


class Filled(NamedTuple):
    """A project with one open round and the way in for its people."""

    round: int
    number: int
    slug: str
    token: str
    sessions: dict[str, str]
    dispute: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--pages-only", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.scale, is_pages_only=options.pages_only)
        return
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                words = ["--scale", str(options.scale)]
                words += ["--pages-only"] if options.pages_only else []
                measure_in_child("benchmarks.review", name, url, words)


@contextmanager
def database(name: str) -> Iterator[str | None]:
    """Make an empty database; its URL is "" for SQLite and None if no server answers."""
    if name == "sqlite":
        yield ""
        return
    import psycopg

    server = os.environ.get("LOTSAWA_TEST_DATABASE_URL", "postgresql://postgres@127.0.0.1/postgres")
    base, _slash, _name = server.rpartition("/")
    fresh = f"lotsawa_bench_{uuid.uuid4().hex[:8]}"
    try:
        connection = psycopg.connect(server, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError as error:
        print(f"no PostgreSQL server, measured on SQLite only: {error}", file=sys.stderr)
        yield None
        return
    with connection:
        connection.execute(f'CREATE DATABASE "{fresh}"')
        try:
            yield f"{base}/{fresh}"
        finally:
            connection.execute(f'DROP DATABASE "{fresh}" WITH (FORCE)')


def measure_in_child(module: str, name: str, url: str, words: Sequence[str]) -> None:
    """Run `python -m module --measure name words…` in a new folder.

    A process of its own takes its settings from the environment: `url` names the database.
    """
    with own_folder() as var:
        command = [sys.executable, "-m", module, "--measure", name, *words]
        subprocess.run(command, cwd=ROOT, env=environment_of(var, url), check=True)


@contextmanager
def own_folder() -> Iterator[Path]:
    """Yield a data folder, and remove it afterwards.

    It begins with a copy of the SQLite file that LOTSAWA_BENCH_DATABASE names, if any: the suite
    has one with all tables, which take 20 seconds to migrate.
    """
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        var = Path(folder) / "var"
        var.mkdir()
        if migrated := os.environ.get("LOTSAWA_BENCH_DATABASE"):
            shutil.copyfile(migrated, var / "lotsawa.sqlite3")
        yield var


def environment_of(var: Path, url: str = "", redis: str = "") -> dict[str, str]:
    """Return the settings of a measurement with its files in `var`; no `url` means SQLite."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": str(var),
        "LOTSAWA_DATABASE_URL": url,
        "LOTSAWA_REDIS_URL": redis,
        "LOTSAWA_LOG_LEVEL": "WARNING",
    }


def measure(name: str, scale: float, *, is_pages_only: bool) -> None:
    make_tables()
    reviews = max(20, round(REVIEWS * scale))
    few, many = max(40, round(FEW * scale)), max(400, round(MANY * scale))
    if not is_pages_only:
        at_few = reviews_cpu(fill(few), min(reviews, few))
        report(f"review_claim_submit_cpu_{name}_{few}_items", at_few, "ms", min(reviews, few))
        at_many = reviews_cpu(fill(many), reviews)
        report(f"review_claim_submit_cpu_{name}_{many}_items", at_many, "ms", reviews)
        behind = reviews_cpu(fill(many, judged=many // 2), reviews)
        report(f"review_claim_submit_cpu_{name}_{many}_items_half_behind", behind, "ms", reviews)
        report(
            f"review_claim_submit_cpu_{name}_growth", max(at_many, behind) / at_few, "x", reviews
        )
    for items in PAGE_ITEMS:
        measure_pages(name, max(60, round(items * scale)) if items > 60 else items)


def reviews_cpu(filled: Filled, count: int) -> float:
    """Return the web process's CPU for each of `count` claims and submits, in ms."""
    with server() as (port, worker):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _warm_up in range(3):
            judge_one(client, filled)
        before = cpu_seconds(worker)
        for _number in range(count - 3):
            judge_one(client, filled)
        return 1000 * (cpu_seconds(worker) - before) / (count - 3)


def judge_one(client: http.client.HTTPConnection, filled: Filled) -> None:
    headers = {"Authorization": f"Token {filled.token}", "Content-Type": "application/json"}
    seat = call(client, "POST", f"/api/v1/rounds/{filled.round}/claim/", headers, expected=200)
    body = {
        "verdict": "approve",
        "ratings": RATINGS,
        "revision": json.loads(seat)["revision"]["id"],
        "active_seconds": 40,
    }
    call(
        client,
        "POST",
        f"/api/v1/assignments/{json.loads(seat)['assignment']}/judgement/",
        {**headers, "Idempotency-Key": uuid.uuid4().hex},
        json.dumps(body),
        expected=201,
    )


def call(
    client: http.client.HTTPConnection,
    method: str,
    path: str,
    headers: dict[str, str],
    body: str | None = None,
    *,
    expected: int,
) -> bytes:
    client.request(method, path, body=body, headers=headers)
    response = client.getresponse()
    content = response.read()
    if response.status != expected:
        raise RuntimeError(f"{method} {path}: {response.status} {content[:300]!r}")
    return content


@contextmanager
def server() -> Iterator[tuple[int, int]]:
    """Run the web server as `make run` does; yield its port and the id of its worker process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", *WEB.split(), "--bind", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        yield port, _worker(process, port)
    finally:
        process.terminate()
        process.wait(20)


def _worker(process: subprocess.Popen[bytes], port: int) -> int:
    for _try in range(600):
        if process.poll() is not None:
            raise RuntimeError("the web server did not start")
        try:
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            client.request("GET", "/healthz")
            client.getresponse().read()
            break
        except OSError:
            time.sleep(0.1)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(children[0])


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_pages(name: str, items: int) -> None:
    """Return the median time of each review page over loopback."""
    filled = fill(items, judged=items // 2)
    with server() as (port, _pid):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for page, role, path in pages(filled):
            headers = {"Cookie": f"sessionid={filled.sessions[role]}"}
            times = []
            for _visit in range(PAGE_VISITS + 1):
                start = time.perf_counter()
                call(client, "GET", path, headers, expected=200)
                times.append(1000 * (time.perf_counter() - start))
            middle = statistics.median(times[1:])
            report(f"review_page_{page}_{name}_{items}_items", middle, "ms", PAGE_VISITS)


def pages(filled: Filled) -> Sequence[tuple[str, str, str]]:
    """Return (name, role, path) of every page of the review."""
    base = f"/projects/{filled.slug}"
    here = f"{base}/rounds/{filled.number}"
    return [
        ("rounds", "manager", f"{base}/rounds/"),
        ("round", "manager", f"{here}/"),
        ("guideline", "manager", f"{base}/rounds/guideline/"),
        ("open_round", "manager", f"{base}/rounds/open/"),
        ("report", "manager", f"{base}/report/stages.csv"),
        ("workbench", "reviewer", f"{here}/workbench/"),
        ("disputes", "senior", f"{base}/disputes/"),
        ("dispute", "senior", f"{base}/disputes/{filled.dispute}/"),
    ]


def fill(count: int, *, judged: int = 0) -> Filled:
    """Make a project of `count` items with an open round, the first `judged` items judged.

    Of the judged panels the first seat is the reviewer's, the second somebody else's on every
    fourth; every twelfth panel is in dispute.
    """
    from django.utils import timezone

    from projects.enums import Role
    from review.enums import Selection
    from review.rounds.actions.rounds import open_round
    from review.rounds.actions.settings import RoundSettings
    from review.seats.actions.seats import claim_seat

    slug = f"bench-{uuid.uuid4().hex[:8]}"
    project, people = make_project(slug)
    make_items(project, count)
    round_ = open_round(
        project=project,
        settings=RoundSettings(selection=Selection.ALL),
        actor=people[Role.MANAGER],
        now=timezone.now(),
    )
    dispute = judge(round_, people[Role.REVIEWER], people[Role.VIEWER], judged) if judged else 0
    if judged:
        claim_seat(round_=round_, reviewer=people[Role.REVIEWER], now=timezone.now())
    analyse()
    return Filled(
        round=round_.pk,
        number=round_.number,
        slug=slug,
        token=token_of(people[Role.REVIEWER]),
        sessions={str(role): session_of(user) for role, user in people.items()},
        dispute=dispute,
    )


def make_project(slug: str) -> tuple[Any, dict[Any, Any]]:
    from django.utils import timezone

    from accounts.actions import create_user
    from projects.enums import Role
    from projects.models import Membership, Project

    now = timezone.now()
    project = Project.objects.create(
        slug=slug, name=slug, source_language="zh", target_language="bo", created_at=now
    )
    people = {
        role: create_user(
            email=f"{role}@{slug}.example.org", name=str(role), password=None, actor=None, now=now
        )
        for role in Role
    }
    Membership.objects.bulk_create(
        Membership(project=project, user=user, role=role, created_at=now)
        for role, user in people.items()
    )
    return project, people


def make_items(project: Any, count: int) -> None:
    """Make `count` items with one translation each, in ten subjects."""
    from django.utils import timezone

    from annotation.models import Item, Revision, Translation
    from projects.models import Source, Subject

    now = timezone.now()
    source = Source.objects.create(project=project, name="s", checksum="0" * 64, created_at=now)
    subjects = Subject.objects.bulk_create(
        Subject(project=project, slug=f"subject-{n}", name=f"Subject {n}") for n in range(10)
    )
    items = Item.objects.bulk_create(
        (
            Item(
                project=project,
                source=source,
                subject=subjects[number % 10],
                uid=f"subject-{number % 10}/{number:06d}",
                question=f"{number} 下列关于翻译的说法正确的是哪一项？" * 3,
                options=["甲", "乙", "丙", "丁"],
                key="A",
                content_hash=f"{number:064d}",
                created_at=now,
            )
            for number in range(count)
        ),
        batch_size=BATCH,
    )
    translations = Translation.objects.bulk_create(
        (Translation(item=item, system="mt", created_at=now) for item in items), batch_size=BATCH
    )
    revisions = Revision.objects.bulk_create(
        (
            Revision(
                translation=translation,
                number=1,
                question=TIBETAN * 3,
                options=OPTIONS,
                origin="mt",
                content_hash="0" * 64,
                created_at=now,
            )
            for translation in translations
        ),
        batch_size=BATCH,
    )
    point(translations, revisions, items)


def point(translations: Any, revisions: Any, items: Any) -> None:
    """Set the current rows by one statement per table; rows were made in the same order."""
    from django.db.models import OuterRef, Subquery

    from annotation.models import Item, Revision, Translation

    first = Revision.objects.filter(translation=OuterRef("pk")).values("pk")[:1]
    Translation.objects.filter(item__project=items[0].project_id).update(
        current_revision=Subquery(first)
    )
    working = Translation.objects.filter(item=OuterRef("pk")).values("pk")[:1]
    Item.objects.filter(project=items[0].project_id).update(working_translation=Subquery(working))


def judge(round_: Any, reviewer: Any, other: Any, judged: int) -> int:
    """Fill the tables of the first `judged` panels directly; return a dispute."""
    from review.models import Panel, Round

    panels = list(Panel.objects.filter(round=round_).order_by("position")[:judged])
    both = panels[::4]
    store(round_, reviewer, panels, seat=1)
    store(round_, other, both, seat=2)
    for index, panel in enumerate(both):
        panel.tally = "A45 R21" if index % 3 == 0 else "A45 A45"
        panel.outcome = panel.state = "disputed"
        panel.severity = 20 + index % 7
        if index % 3:
            panel.outcome, panel.state, panel.severity = "approved", "settled", 0
        else:
            panel.reasons = [{"code": "verdict_split"}]
    for panel in panels:
        panel.tally = panel.tally or "A45"
        panel.decided_at = round_.opened_at if panel.outcome else None
    fields = ["tally", "outcome", "state", "severity", "reasons", "decided_at"]
    Panel.objects.bulk_update(panels, fields, batch_size=500)
    Round.objects.filter(pk=round_.pk).update(judged_count=len(panels) + len(both))
    return int(both[0].pk)


def store(round_: Any, reviewer: Any, panels: Sequence[Any], *, seat: int) -> None:
    from review.models import Assignment, Judgement

    now = round_.opened_at
    last = panels[-1].position
    rows = Assignment.objects.filter(round=round_, seat=seat, position__lte=last)
    rows = rows.filter(panel__in=panels) if seat == 2 and len(panels) < 5_000 else rows
    wanted = {panel.pk for panel in panels}
    seats = [row for row in rows.order_by("position") if row.panel_id in wanted]
    for start in range(0, len(seats), 500):
        Assignment.objects.filter(pk__in=[s.pk for s in seats[start : start + 500]]).update(
            state="judged", reviewer=reviewer, claimed_at=now
        )
    revisions = {panel.pk: panel.revision_id for panel in panels}
    Judgement.objects.bulk_create(
        (
            Judgement(
                assignment=row,
                panel_id=row.panel_id,
                revision_id=revisions[row.panel_id],
                reviewer=reviewer,
                verdict="approve",
                ratings=RATINGS,
                idempotency_key=f"{row.pk}",
                receipt=uuid.uuid4(),
                submitted_at=now,
            )
            for row in seats
        ),
        batch_size=BATCH,
    )


def analyse() -> None:
    """Give the planner its statistics, as autovacuum would."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def token_of(user: Any) -> str:
    from django.utils import timezone

    from accounts.actions import create_token

    return create_token(user=user, name="bench", actor=user, now=timezone.now()).secret


def session_of(user: Any) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user, backend="accounts.backends.AccountBackend")
    return client.cookies["sessionid"].value


if __name__ == "__main__":
    main()
