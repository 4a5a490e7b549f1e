"""Starts a job that runs every check again, and reads what the last one found in the whole set."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.checks.catalogue.base import CheckInput
from annotation.models import ImportBatch, Revision, TranslationJob
from annotation.querysets import is_shown
from common.errors import DomainError
from jobs.actions import create_job
from jobs.enums import ENDED_JOB_STATES, JobState
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project

KIND = "check-again"
BATCH = 500


class AlreadyChecking(DomainError):
    code = "already_checking"
    detail = _("The texts of this project are being checked already. Wait until that is done.")


@transaction.atomic
def start_recheck(*, project: Project, actor: User | None, now: datetime) -> Job:
    """Queue the job, one at a time in a project. Raises AlreadyChecking."""
    lock_project(project.pk)
    if rechecks_of(project).exclude(state__in=ENDED_JOB_STATES).exists():
        raise AlreadyChecking
    return create_job(kind=KIND, scope=project.slug, params={}, actor=actor, now=now)


def rechecks_of(project: Project) -> Any:
    """The jobs that ran every check again."""
    return Job.objects.filter(kind=KIND, scope=project.slug)


def last_whole_set(project: Project) -> tuple[Job, Mapping[str, Any]] | None:
    """Return the last finished job and what it found in the whole set; None before the first."""
    job = rechecks_of(project).filter(state=JobState.DONE).order_by("-pk").first()
    return (job, job.result["whole_set"]) if job else None


def has_new_texts(project: Project) -> bool:
    """Return whether an import or a model brought texts since all were last checked together."""
    came = [
        ImportBatch.objects.filter(project=project).aggregate(at=Max("finished_at"))["at"],
        TranslationJob.objects.filter(project=project).aggregate(at=Max("job__finished_at"))["at"],
    ]
    latest = max((at for at in came if at), default=None)
    if latest is None:
        return False
    checked = rechecks_of(project).filter(state=JobState.DONE).aggregate(at=Max("started_at"))["at"]
    return checked is None or latest > checked


def texts_in_batches(project: Project, *, after: int = 0) -> Iterator[list[Revision]]:
    """Yield the current texts beyond the id `after`, loaded as `check_again` wants them."""
    while batch := list(_texts(project).filter(pk__gt=after)[:BATCH]):
        after = batch[-1].pk
        yield batch


def texts_of_items(project: Project, item_ids: Collection[int]) -> list[Revision]:
    """Return the current texts of some items, loaded as `check_again` wants them."""
    return list(_texts(project).filter(translation__item__in=item_ids))


def texts_to_learn(project: Project, *, most: int) -> Iterator[tuple[int, CheckInput]]:
    """Yield up to `most` current texts beside their sources, spread evenly, by the id of the revision."""
    every = max(1, -(-text_count(project) // most))
    item = "translation__item__"
    rows = _texts(project).prefetch_related(None).select_related(None)
    columns = rows.values_list(
        "pk",
        f"{item}question",
        f"{item}options",
        f"{item}key",
        "question",
        "options",
        f"{item}kind",
    )
    languages = (project.source_language, project.target_language)
    for row in islice(columns.iterator(chunk_size=2000), None, None, every):
        pk, source, source_options, key, question, options, kind = row
        yield (
            pk,
            CheckInput(source, source_options, key, question, options, None, *languages, kind=kind),
        )


def text_count(project: Project) -> int:
    count: int = _texts(project).count()
    return count


def _texts(project: Project) -> Any:
    rows = Revision.objects.filter(
        is_shown("translation__"),
        translation__item__project=project,
        translation__current_revision=F("pk"),
    )
    rows = rows.select_related("translation__item")
    return rows.prefetch_related("findings", "translation__item__key_changes").order_by("pk")
