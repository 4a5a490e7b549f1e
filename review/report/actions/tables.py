"""Freezing the tables of a closed round: at once where it is small, else as a job."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.models import User
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from review.models import Round, RoundTables
from review.report.queries import tables_to_freeze

TABLES_KIND = "round-tables"
FROZEN_AT_ONCE = 3_000
"""Tables of more panels are not counted while somebody waits for the round to close."""


def freeze_tables(*, round_: Round, actor: User | None, now: datetime) -> None:
    """Store the tables of a round that has been closed, or queue the job that does.

    Nothing that they are made from changes any more; reports count it anew until they are stored.
    """
    if not round_.judged_count:
        return
    if round_.panel_count <= FROZEN_AT_ONCE:
        _store(round_, now)
        return
    create_job(
        kind=TABLES_KIND,
        scope=round_.project.slug,
        params={"round": round_.number},
        actor=actor,
        now=now,
    )


def perform_freezing(job: Job, progress: Progress) -> dict[str, Any]:
    """Store the tables; the round is the key of their row: run again, it writes none."""
    rounds = Round.objects.select_related("project")
    round_ = rounds.get(project__slug=job.scope, number=job.params["round"])
    progress.start(1)
    if not RoundTables.objects.filter(round=round_).exists():
        _store(round_, timezone.now())
    return {"round": round_.number}


def _store(round_: Round, now: datetime) -> None:
    content = tables_to_freeze(round_)
    RoundTables.objects.get_or_create(round=round_, defaults={"content": content, "frozen_at": now})
