"""Measures the preview of a round, opening and discarding it, and its figures, at two sizes.

python -m benchmarks.rounds [--scale 1.0] [--databases sqlite,postgresql]

In a database of its own each; "longest_write" is the longest time that other people's writes had
to wait for one transaction of the opening. Figures of the large size over those of the small one
stand as "growth" for each item.
"""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.fresh_site import report
from benchmarks.review import (
    RATINGS,
    analyse,
    make_items,
    make_project,
)
from benchmarks.sizes import run_at_sizes

SIZES = (20_000, 100_000)


def main() -> None:
    run_at_sizes("benchmarks.rounds", __doc__, SIZES, measure)


def measure(name: str, sizes: list[int]) -> None:
    seconds = [measure_size(name, size) for size in sizes]
    for figure in seconds[0]:
        growth = seconds[-1][figure] / sizes[-1] / (seconds[0][figure] / sizes[0])
        report(f"{figure}_{name}_growth_an_item", growth, "x", sizes[-1])


def measure_size(name: str, size: int) -> dict[str, float]:
    from django.utils import timezone

    from projects.enums import Role
    from review.enums import Selection
    from review.rounds.actions.rounds import discard_round, open_round, preview_of
    from review.rounds.actions.settings import RoundSettings

    project, people = make_project(f"bench-{uuid.uuid4().hex[:8]}")
    make_items(project, size)
    make_findings(project)
    analyse()
    found: dict[str, float] = {}
    settings = RoundSettings(selection=Selection.ALL)
    with timed(found, "round_preview"):
        preview_of(project, settings)
    report(f"round_preview_{name}_{size}_items", found["round_preview"], "s", size)

    def opened() -> Any:
        return open_round(
            project=project,
            settings=settings,
            actor=None,
            now=timezone.now(),
        )

    with timed(found, "round_open"), longest_write() as longest:
        round_ = opened()
    report(f"round_open_{name}_{size}_items", found["round_open"], "s", size)
    report(f"round_open_cpu_{name}_{size}_items", found["round_open_cpu"], "s", size)
    if name == "sqlite":
        report(f"round_open_longest_write_{name}_{size}_items", max(longest), "s", size)
    with timed(found, "round_discard"):
        discard_round(round_=round_, actor=None, now=timezone.now())
    report(f"round_discard_{name}_{size}_items", found["round_discard"], "s", size)
    round_ = opened()
    judge_all(round_, [people[Role.REVIEWER], people[Role.SENIOR]])
    analyse()
    measure_figures(name, size, round_, found)
    return found


def judge_all(round_: Any, judges: list[Any]) -> None:
    """Fill both seats of every panel directly in the tables, with 36 different tallies."""
    from django.db import transaction
    from django.db.models import F
    from django.utils import timezone

    from common.bulk_insert import insert_rows
    from review.models import Assignment, Judgement, Panel, Round

    now = timezone.now()
    for seat, person in enumerate(judges, start=1):
        seats = Assignment.objects.filter(round=round_, seat=seat)
        seats.update(state="judged", reviewer=person, claimed_at=now)
        rows: list[Any] = [
            (pk, panel, revision, str(pk), uuid.uuid4().hex, RATINGS, [])
            for pk, panel, revision in seats.values_list("pk", "panel", "panel__revision")
        ]
        with transaction.atomic():
            insert_rows(
                Judgement,
                [
                    "assignment",
                    "panel",
                    "revision",
                    "idempotency_key",
                    "receipt",
                    "ratings",
                    "tags",
                ],
                rows,
                {
                    "reviewer": person.pk,
                    "verdict": "approve",
                    "comment": "",
                    "active_seconds": 40,
                    "submitted_at": now,
                },
            )
    panels = Panel.objects.filter(round=round_).annotate(kind=F("position") % 36)
    for kind in range(36):
        tally = f"A{kind % 6}{kind // 6} A45"
        panels.filter(kind=kind).update(tally=tally, state="settled", outcome="approved")
    Round.objects.filter(pk=round_.pk).update(judged_count=2 * round_.panel_count)


def measure_figures(name: str, size: int, round_: Any, found: dict[str, float]) -> None:
    from review.report.queries import round_figures, subject_table

    with timed(found, "round_figures"):
        round_figures(round_)
        subject_table(round_.project)
    report(f"round_figures_{name}_{size}_items", found["round_figures"], "s", size)


def make_findings(project: Any) -> None:
    """Make an open warning in every third text and an error in every twentieth."""
    from django.utils import timezone

    from annotation.models import Finding, Revision

    now = timezone.now()
    pks = Revision.objects.filter(translation__item__project=project).values_list("pk", flat=True)
    Finding.objects.bulk_create(
        (
            Finding(
                revision_id=pk,
                code="c",
                severity="error" if pk % 20 == 0 else "warning",
                field="question",
                created_at=now,
            )
            for pk in pks
            if pk % 3 == 0 or pk % 20 == 0
        ),
        batch_size=5_000,
    )


@contextmanager
def timed(found: dict[str, float], name: str) -> Iterator[None]:
    """Put the wall and CPU seconds of this process (not of a database server) into `found`."""
    started, cpu = time.perf_counter(), time.process_time()
    yield
    found[name] = time.perf_counter() - started
    found[f"{name}_cpu"] = time.process_time() - cpu


@contextmanager
def longest_write() -> Iterator[list[float]]:
    """Collect the seconds from the first write to the end of each transaction."""
    from django.db import connections

    connection: Any = connections["default"]
    seconds: list[float] = [0.0]
    begun: list[float] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("BEGIN"):
            begun[:] = [time.perf_counter()]
        return execute(sql, params, many, context)

    commit = connection._commit  # noqa: SLF001

    def committed() -> None:
        commit()
        if begun:
            seconds.append(time.perf_counter() - begun.pop())

    connection._commit = committed  # noqa: SLF001
    with connection.execute_wrapper(watch):
        yield seconds
    connection._commit = commit  # noqa: SLF001


if __name__ == "__main__":
    main()
