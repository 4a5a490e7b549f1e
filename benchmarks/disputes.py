"""CPU time of the senior's pages with 2,000 and with 20,000 open disputes, and the ratio of the two.

Each page is asked for through Django's test client; the median CPU milliseconds of the whole
request are printed. Set LOTSAWA_DATABASE_URL to an empty PostgreSQL database to measure there (the
time of the web process alone, then); with `--wall` the time that passes is measured.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fresh_site import report, set_up
from benchmarks.lists import _items_of_size
from projects.criteria import DEFAULT_NAMES

REPEATS, SEED = 9, 20261122
TALLIES = ("A44 E43", "A55 R21", "A45 A42", "E33 E43", "A11 A44", "E22 R11")
REASONS = ("verdict_split", "score_gap", "different_corrections", "flagged", "key_challenged")
DETAILS: dict[str, dict[str, Any]] = {
    "score_gap": {"criterion": DEFAULT_NAMES[0], "low": 1, "high": 4},
    "different_corrections": {"fields": ["question"]},
    "flagged": {"causes": ["not_answerable"]},
}
PAGES = (
    "disputes/",
    "disputes/?subject=s7",
    "disputes/?reason=score_gap",
    "disputes/?reason=only-verdict_split",
    "disputes/?verdicts=AE",
    "disputes/?gap=3",
    "disputes/?round=1",
    "disputes/?system=mt",
    "disputes/?days=1",
    "disputes/?sort=oldest",
    "disputes/?sort=uid",
    "disputes/?waiting=yes",
    "disputes/{dispute}/",
    "disputes/{dispute}/?verdicts=AE&sort=oldest",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--wall", action="store_true")
    chosen = parser.parse_args()
    clock = time.perf_counter if chosen.wall else time.process_time
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        set_up(folder, os.environ.get("LOTSAWA_DATABASE_URL", ""))
        _report({size: _measured(size, clock) for size in chosen.sizes})


def _measured(size: int, clock: Callable[[], float]) -> dict[str, float]:
    from review.models import Panel

    project = _items_of_size(size)
    client = _write_disputes(project)
    middle = Panel.objects.filter(round__project=project).order_by("pk")[size // 2 + 3].pk
    return {
        page: _time(client, f"/projects/{project.slug}/{page.format(dispute=middle)}", clock)
        for page in PAGES
    }


def _write_disputes(project: Any) -> Any:
    """Write a dispute on each item, half in a closed round; the senior judged one in a hundred."""
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from projects.actions import grant_role
    from review.guidelines.actions.guidelines import current_guideline
    from review.models import Round

    people = [User.objects.create_user(f"{n}@{project.slug}.org", f"Person {n}") for n in range(3)]
    for person, role in zip(people, ("senior", "reviewer", "reviewer"), strict=True):
        grant_role(project=project, user=person, role=role, actor=None, now=timezone.now())
    guideline = current_guideline(project=project, now=timezone.now())
    for number, state in ((1, "closed"), (2, "open")):
        round_ = Round.objects.create(
            project=project,
            number=number,
            state=state,
            selection="all",
            guideline=guideline,
            opened_at=timezone.now(),
        )
        _insert(round_, people)
    _analyze()
    client = Client()
    client.force_login(people[0], backend="accounts.backends.AccountBackend")
    return client


def _insert(round_: Any, people: Any) -> None:
    """Insert disputes on every second item, by the round's number."""
    from annotation.models import Item

    items = Item.objects.filter(project=round_.project).order_by("pk")
    current = "working_translation__current_revision"
    rows = list(items.values_list("pk", "uid_order", current, "subject"))
    mine = rows[round_.number - 1 :: 2]
    _insert_panels(round_, mine, random.Random(SEED), people)
    round_.panel_count, round_.judged_count = len(mine), 2 * len(mine)
    round_.save()


def _insert_panels(round_: Any, rows: Any, rng: random.Random, people: Any) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from review.models import Panel

    now = timezone.now()
    panels = Panel.objects.bulk_create(
        [
            Panel(
                round=round_,
                item_id=item,
                revision_id=revision,
                subject_id=subject,
                position=place,
                state="disputed",
                outcome="disputed",
                tally=rng.choice(TALLIES),
                severity=rng.randrange(60),
                uid_key=uid,
                reasons=[{"code": code} | DETAILS.get(code, {}) for code in codes],
                reason_codes=" ".join(codes),
                decided_at=now - timedelta(minutes=rng.randrange(20_000)),
            )
            for place, (item, uid, revision, subject) in enumerate(rows)
            for codes in [sorted(rng.sample(REASONS, rng.choice((1, 1, 2))))]
        ],
        batch_size=1000,
    )
    _insert_judgements(panels, people)


def _insert_judgements(panels: Any, people: Any) -> None:
    import uuid

    from django.utils import timezone

    from review.models import Assignment, Judgement

    now = timezone.now()
    judges = [[people[0], people[2]] if n % 100 == 0 else people[1:] for n in range(len(panels))]
    seats = Assignment.objects.bulk_create(
        [
            Assignment(
                panel=panel,
                round_id=panel.round_id,
                position=panel.position,
                seat=seat,
                reviewer=person,
                state="judged",
                claimed_at=now,
            )
            for panel, two in zip(panels, judges, strict=True)
            for seat, person in enumerate(two, start=1)
        ],
        batch_size=1000,
    )
    Judgement.objects.bulk_create(
        [
            Judgement(
                assignment=seat,
                panel_id=seat.panel_id,
                revision_id=seat.panel.revision_id,
                reviewer=seat.reviewer,
                verdict="approve",
                ratings=dict.fromkeys(DEFAULT_NAMES, 4),
                idempotency_key=uuid.uuid4().hex,
                receipt=uuid.uuid4(),
                submitted_at=now,
            )
            for seat in seats
        ],
        batch_size=1000,
    )


def _analyze() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _time(client: Any, address: str, clock: Callable[[], float]) -> float:
    times = []
    for _ in range(REPEATS):
        started = clock()
        response = client.get(address)
        times.append(clock() - started)
        assert response.status_code == 200, (address, response.status_code)
    return 1000 * statistics.median(times)


def _report(measured: dict[int, dict[str, float]]) -> None:
    sizes = sorted(measured)
    for page in PAGES:
        for size in sizes:
            report(f"disputes_{page}", measured[size][page], "CPU ms", size)
        ratio = measured[sizes[-1]][page] / measured[sizes[0]][page]
        report(f"disputes_{page}_ratio", ratio, "ratio", len(sizes))


if __name__ == "__main__":
    main()
