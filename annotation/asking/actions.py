"""Starts and resumes jobs that ask models about items, whatever they ask."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.asking.kinds import AskingKind, Started
from annotation.asking.queries import FAILED, OPEN, Selection, retried_rows
from annotation.models.asking import MAX_CONCURRENCY
from endpoints.budgets import budget_faults
from endpoints.connections import check_usable
from endpoints.models import ModelSpec
from jobs.actions import (
    JobNotRunnable,
    JobWaitsForFile,
    create_job,
    hold_job,
    repeat_job,
    resume_job,
)
from jobs.enums import ENDED_JOB_STATES, JobState
from jobs.models import Job
from projects.locks import lock_project

INSERT_BATCH: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingSettings:
    """Which model is asked about which items. `budget` is in US dollars.

    A job that `is_held` waits for the answers of batch files.
    """

    model: ModelSpec
    concurrency: int = 8
    budget: Decimal | None = None
    is_held: bool = False
    selection: Selection = field(default_factory=Selection)

    @property
    def specs(self) -> list[ModelSpec]:
        """The models that see the items."""
        return [self.model]

    def columns(self) -> dict[str, Any]:
        """Return the columns of a new job that are the same for all kinds."""
        return {
            "model_spec": self.model, "concurrency": self.concurrency, "budget": self.budget,
            "selection": self.selection.as_json(),
        }  # fmt: skip


def settings_faults(settings: AskingSettings, **bounds: tuple[int, int]) -> dict[str, list[str]]:
    """Return what is wrong with the numbers and the budget of some settings, by field."""
    faults: dict[str, list[str]] = {}
    for name, (low, high) in {"concurrency": (1, MAX_CONCURRENCY), **bounds}.items():
        if not low <= getattr(settings, name) <= high:
            values = {"low": low, "high": high}
            faults[name] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if settings.budget is not None:
        faults |= budget_faults(settings.budget, settings.specs)
    return faults


@transaction.atomic
def queue_asking(
    kind: AskingKind[Started], started: Started, *, params: dict[str, Any], is_held: bool = False
) -> None:
    """Queue or hold a job with an audit row and insert `started`. The project stays locked for its rows.

    Raises the `underway` of the kind.
    """
    lock_project(started.project.pk)
    _check_alone(kind, started)
    started.job = create_job(
        kind=kind.name, scope=started.project.slug, params=params, actor=started.started_by,
        now=started.started_at,
    )  # fmt: skip
    started.save(force_insert=True)
    if is_held:  # before the transaction ends, so that no worker takes it in between
        hold_job(job=started.job, actor=started.started_by, now=started.started_at)
        started.job.refresh_from_db()


@transaction.atomic
def resume_asking(
    kind: AskingKind[Started],
    started: Started,
    *,
    actor: User | None,
    now: datetime,
    budget: Decimal | None = None,
) -> Started:
    """Queue a job again for the rows that are open, or whose endpoint did not answer.

    A `budget` replaces the one of the job. Raises `invalid`, `complete` and `underway` of the kind,
    EndpointNotAllowed, EndpointClosed, JobNotRunnable while the job is queued or running, and
    JobWaitsForFile while it is held.
    """
    lock_project(started.project.pk)
    job = Job.objects.get(pk=started.job_id)
    if job.state == JobState.HELD:
        raise JobWaitsForFile
    if not job.has_ended:
        raise JobNotRunnable
    # Of a job that stopped, the rows may all be there and its end not.
    if job.state == JobState.DONE and not retried_rows(kind, started).exists():
        raise kind.complete
    own = kind.jobs.filter(pk=started.pk)
    change_budget(kind, started, budget)
    check_again(kind, started)
    if job.state == JobState.DONE:
        repeat_job(job=job, holder=own, actor=actor, now=now)
    else:
        resume_job(job=job, actor=actor, now=now)
    started.refresh_from_db()
    return started


def refuse_resuming(kind: AskingKind[Started], job: Job) -> None:
    """Raise `underway` of the kind, EndpointNotAllowed or EndpointClosed where a job may not go on."""
    started = kind.jobs.get(job=job)
    lock_project(started.project.pk)
    check_again(kind, started)


def change_budget(kind: AskingKind[Started], started: Started, budget: Decimal | None) -> None:
    """Give a job another budget; None leaves it as it is. Raises `invalid` of the kind."""
    if budget is None:
        return
    if faults := budget_faults(budget, started.specs):
        raise kind.invalid(fields=faults)
    kind.jobs.filter(pk=started.pk).update(budget=budget)


def reopen_rows(kind: AskingKind[Started], started: Started) -> None:
    """Have the job ask again where the reason of a failure may have gone."""
    retried_rows(kind, started).filter(state=FAILED).update(
        state=OPEN, **{kind.reason: "", kind.data: {}}
    )


def fail_row(kind: AskingKind[Started], row: Any, code: str, data: Mapping[str, Any]) -> None:
    """Store why nothing came of a row; `code` and `data` are those of `answers.fault_text`."""
    rows = type(row).objects.filter(pk=row.pk, state=OPEN)
    rows.update(state=FAILED, **{kind.reason: code, kind.data: dict(data)})


def check_again(kind: AskingKind[Started], started: Started) -> None:
    """Raise `underway` of the kind, EndpointNotAllowed or EndpointClosed where a job may not go on."""
    _check_alone(kind, started)
    for spec in started.specs:
        check_usable(spec.endpoint, started.project)


def _check_alone(kind: AskingKind[Started], started: Started) -> None:
    name = attrgetter(kind.alone.replace("__", "."))(started)
    alike = kind.jobs.filter(project=started.project, **{kind.alone: name}).exclude(pk=started.pk)
    if alike.exclude(job__state__in=ENDED_JOB_STATES).exists():
        raise kind.underway(**{kind.word: name})
