"""Measures the report and the figures of reviewers at two sizes, of an open and of a closed round.

python -m benchmarks.report [--scale 1.0] [--databases sqlite,postgresql]

Two judgements for each item, by 20 reviewers. "open_first" is the first report of an open round,
"open_again" the next one, which finds what was kept; "closed_first" is a closed round whose tables
are not stored yet, "frozen" one whose tables are. "freeze" and "reliability" run as jobs. "growth"
is the time at the large size over that at the small one, which has a tenth of the items. The
reference (benchmarks/reference.py) tells how quick the machine is.
"""

import uuid
from typing import Any

from benchmarks.fresh_site import report
from benchmarks.reference import PIECES, reference_ms
from benchmarks.review import (
    analyse,
    make_items,
    make_project,
)
from benchmarks.rounds import judge_all, timed
from benchmarks.sizes import run_at_sizes

SIZES = (10_000, 100_000)
REVIEWERS = 20


def main() -> None:
    run_at_sizes("benchmarks.report", __doc__, SIZES, measure)


def measure(name: str, sizes: list[int]) -> None:
    report(f"report_reference_{name}", reference_ms(), "ms", PIECES)
    seconds = [measure_size(name, size) for size in sizes]
    for figure in seconds[0]:
        growth = seconds[-1][figure] / max(seconds[0][figure], 0.001)
        if not figure.endswith("_cpu"):
            report(f"report_{figure}_{name}_growth", growth, "x", sizes[-1])


def measure_size(name: str, size: int) -> dict[str, float]:
    """Report the seconds of each figure, and return them."""
    from django.utils import timezone

    from jobs.models import Job
    from jobs.progress import Progress
    from review.report.actions.reliability import estimate_reliability
    from review.report.actions.tables import TABLES_KIND, perform_freezing
    from review.report.queries import stage_table
    from review.rounds.actions.rounds import close_round

    project, round_ = judged_round(size)
    found: dict[str, float] = {}
    with timed(found, "stages_open"):
        stage_table(project)
    measure_pages(found, project, "open_first")
    measure_pages(found, project, "open_again")
    with timed(found, "close"):
        close_round(round_=round_, actor=None, now=timezone.now())
    measure_pages(found, project, "closed_first")
    with timed(found, "freeze"):
        for job in Job.objects.filter(kind=TABLES_KIND, scope=project.slug):
            perform_freezing(job, Progress(job.pk))
    measure_pages(found, project, "frozen")
    with timed(found, "reliability"):
        estimate_reliability(project=project, job=None, now=timezone.now())
    for figure, seconds in found.items():
        if not figure.endswith("_cpu"):
            report(f"report_{figure}_{name}_{size}_items", seconds, "s", size)
    return found


def judged_round(size: int) -> tuple[Any, Any]:
    """Make a project of `size` items with an open round that has all its judgements."""
    from django.utils import timezone

    from projects.enums import Role
    from review.enums import Selection
    from review.rounds.actions.rounds import open_round
    from review.rounds.actions.settings import RoundSettings

    project, people = make_project(f"bench-{uuid.uuid4().hex[:8]}")
    make_items(project, size)
    settings = RoundSettings(selection=Selection.ALL)
    round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
    judge_all(round_, [people[Role.REVIEWER], people[Role.SENIOR]])
    spread_over_reviewers(round_)
    vary(round_)
    analyse()
    return project, round_


def measure_pages(found: dict[str, float], project: Any, name: str) -> None:
    from review.report.peer_queries import reviewer_tables
    from review.report.queries import report as report_of

    with timed(found, f"page_{name}"):
        report_of(project)
    with timed(found, f"reviewers_{name}"):
        reviewer_tables(project)


def spread_over_reviewers(round_: Any) -> None:
    """Give the judgements to many people, who form many pairs."""
    from django.db.models import F
    from django.utils import timezone

    from accounts.actions import create_user
    from review.models import Assignment, Judgement

    people = [
        create_user(
            email=f"{n}@{round_.project.slug}.example.org",
            name=f"Reviewer {n}",
            password=None,
            actor=None,
            now=timezone.now(),
        ).pk
        for n in range(REVIEWERS)
    ]
    for seat in (1, 2):
        for place, person in enumerate(people):
            seats = Assignment.objects.filter(round=round_, seat=seat)
            turn = (F("position") * seat + seat) % REVIEWERS
            pks = seats.annotate(turn=turn).filter(turn=place).values("pk")
            judgements = Judgement.objects.filter(assignment__in=pks)
            judgements.exclude(panel__judgements__reviewer=person).update(reviewer=person)


def vary(round_: Any) -> None:
    """Give the judgements three verdicts, 36 pairs of ratings and times up to ten minutes."""
    from django.db.models import F

    from projects.criteria import DEFAULT_NAMES
    from review.models import Judgement

    # The id of the seat times a prime, so that what one person says does not follow from another.
    draw = F("assignment") * 7919 / 7 % 360
    rows = Judgement.objects.filter(panel__round=round_).annotate(kind=draw % 36, word=draw / 36)
    for kind in range(36):
        ratings = dict(zip(DEFAULT_NAMES, divmod(kind, 6), strict=True))
        rows.filter(kind=kind).update(ratings=ratings, active_seconds=F("assignment") * 7919 % 600)
    rows.filter(word=8).update(verdict="revise", correction={"question": "བ", "options": []})
    rows.filter(word=9).update(verdict="reject")


if __name__ == "__main__":
    main()
