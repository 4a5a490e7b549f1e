"""Has the verdicts of an arena counted again, without asking anybody."""

from datetime import datetime
from typing import Final

from django.db import transaction

from accounts.models import User
from arena.models import Arena
from arena.queries import has_verdicts
from jobs.actions import create_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project

COUNT_KIND: Final = "arena-count"


@transaction.atomic
def start_counting(*, arena: Arena, actor: User | None, now: datetime) -> Job:
    """Queue the job that counts what is there, also while judges are asked; one that waits is enough."""
    lock_project(arena.project_id)
    waiting = Job.objects.filter(state=JobState.QUEUED)
    last = Arena.objects.values_list("count_job", flat=True).get(pk=arena.pk)
    job = waiting.filter(pk=last).first() or create_job(
        kind=COUNT_KIND, scope=arena.project.slug, params={"arena": arena.pk, "name": arena.name},
        actor=actor, now=now,
    )  # fmt: skip
    Arena.objects.filter(pk=arena.pk).update(count_job=job)
    arena.count_job = job
    return job


def count_what_is_there(*, arena: Arena, actor: User | None, now: datetime) -> None:
    """Queue the counting if there is a verdict to count."""
    if has_verdicts(arena):
        start_counting(arena=arena, actor=actor, now=now)
