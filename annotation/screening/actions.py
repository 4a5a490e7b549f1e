"""Starts, resumes and cancels screening jobs, and writes what a model says of each item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from annotation.enums import OpinionState, Screen
from annotation.models import Opinion, ScreeningJob, ScreenThreshold
from annotation.screening.queries import (
    RETRIED,
    Chosen,
    choose_opinions,
    estimate_screening,
    retried_opinions,
    thresholds,
)
from annotation.screening.screens import QUESTIONS, Read
from annotation.translating.queries import Estimate, Selection
from common.errors import DomainError
from endpoints.budgets import budget_faults
from endpoints.connections import check_usable
from endpoints.models import ModelSpec
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from jobs.actions import JobNotRunnable, cancel_job, create_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project
from prompts.actions import ensure_screening_prompt

SCREENING_KIND: Final = "screening"
MAX_CONCURRENCY: Final = 64
INSERT_BATCH: Final = 1000


class ScreeningInvalid(DomainError):
    code = "screening_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToScreen(DomainError):
    code = "nothing_to_screen"
    detail = gettext_lazy(
        "No item of this selection can be screened. Each is excluded, hidden from this endpoint, or "
        "lacks what the screens look at: options, or a translation. Choose other items or screens."
    )


class ScreeningUnderway(DomainError):
    code = "screening_underway"
    detail = gettext_lazy(
        "A screening job of the model “%(model)s” is already in progress. Wait for it, or cancel it."
    )


class ScreeningComplete(DomainError):
    code = "screening_complete"
    detail = gettext_lazy("This job is complete: every question has an opinion or its reason.")


class ThresholdInvalid(DomainError):
    code = "threshold_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningSettings:
    """Which model answers which screens. `budget` is in US dollars."""

    model: ModelSpec
    screens: tuple[str, ...]
    concurrency: int = 8
    budget: Decimal | None = None
    selection: Selection = field(default_factory=Selection)


def estimate_of(*, project: Project, settings: ScreeningSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_screening` raises of settings."""
    return estimate_screening(project, _choose(project, settings), settings.model)


def start_screening(
    *, project: Project, settings: ScreeningSettings, actor: User | None, now: datetime
) -> ScreeningJob:
    """Queue a job. Writes its job with an audit row, its row, and an open opinion for each question.

    Hidden items are left out unless the project allows their text at the endpoint. Raises
    ScreeningInvalid, NothingToScreen, ScreeningUnderway, EndpointNotAllowed, EndpointClosed,
    ModelRetired.
    """
    chosen = _choose(project, settings)
    if not chosen.questions:
        raise NothingToScreen
    with transaction.atomic():
        lock_project(project.pk)
        _check_alone(project, settings.model)
        prompts = {
            screen: ensure_screening_prompt(
                project=project, screen=screen, frame=QUESTIONS[screen], now=now
            )
            for screen in settings.screens
        }
        started = ScreeningJob.objects.create(
            project=project, model_spec=settings.model, concurrency=settings.concurrency,
            selection=settings.selection.as_json(), budget=settings.budget, started_by=actor,
            started_at=now,
            job=_new_job(project, settings.model, settings.screens, actor, now),
        )  # fmt: skip
        Opinion.objects.bulk_create(
            [
                Opinion(
                    screening_job=started, item_id=each.item, revision_id=each.revision,
                    screen=each.screen, prompt_template=prompts[each.screen],
                )
                for each in chosen.questions
            ],
            batch_size=INSERT_BATCH,
        )  # fmt: skip
    return started


@transaction.atomic
def resume_screening(
    *, screening_job: ScreeningJob, actor: User | None, now: datetime, budget: Decimal | None = None
) -> ScreeningJob:
    """Queue a job again for the questions that are open, or whose endpoint did not answer.

    A `budget` replaces the one of the job. Raises ScreeningInvalid, ScreeningComplete,
    ScreeningUnderway, EndpointNotAllowed, EndpointClosed, and JobNotRunnable while the job is
    queued or running.
    """
    lock_project(screening_job.project_id)
    job = Job.objects.get(pk=screening_job.job_id)
    if not job.has_ended:
        raise JobNotRunnable
    if not retried_opinions(screening_job).exists():
        raise ScreeningComplete
    if budget is not None:
        if faults := budget_faults(budget, [screening_job.model_spec]):
            raise ScreeningInvalid(fields=faults)
        ScreeningJob.objects.filter(pk=screening_job.pk).update(budget=budget)
    _check_again(screening_job, job)
    if job.state == JobState.DONE:
        _give_successor(screening_job, job, actor, now)
    else:
        resume_job(job=job, actor=actor, now=now)
    screening_job.refresh_from_db()
    return screening_job


def cancel_screening(*, screening_job: ScreeningJob, actor: User | None, now: datetime) -> None:
    """Cancel a job; its opinions so far are kept. Raises JobNotCancellable if it has ended."""
    cancel_job(job=screening_job.job, actor=actor, now=now)


@transaction.atomic
def choose_threshold(
    *, project: Project, screen: str, confidence: float | None, actor: User | None, now: datetime
) -> None:
    """Say from which confidence on doubts of a screen count, with an audit row; None: all count.

    Choosing the same again changes nothing. Raises ThresholdInvalid.
    """
    if screen not in Screen.values:
        raise ThresholdInvalid(
            fields={"screen": [_("Choose one of: %s.") % ", ".join(Screen.values)]}
        )
    if confidence is not None and not 0 <= confidence <= 1:
        raise ThresholdInvalid(fields={"confidence": [_("Enter a number from 0 to 1.")]})
    lock_project(project.pk)
    if thresholds(project).get(screen) == confidence:
        return
    if confidence is None:
        ScreenThreshold.objects.filter(project=project, screen=screen).delete()
    else:
        ScreenThreshold.objects.update_or_create(
            project=project, screen=screen, defaults={"confidence": confidence}
        )
    record_event(
        actor=actor, verb="screening.threshold_chosen", target=f"project:{project.pk}",
        scope=project.slug, data={"screen": screen, "confidence": confidence}, now=now,
    )  # fmt: skip


def refuse_resuming(job: Job) -> None:
    """Raise ScreeningUnderway, EndpointNotAllowed or EndpointClosed where a job may not go on."""
    started = ScreeningJob.objects.select_related("project", "model_spec__endpoint").get(job=job)
    lock_project(started.project_id)
    _check_again(started, job)


def give_opinion(*, opinion: Opinion, read: Read) -> None:
    """Store an opinion as it was read, if it is still open."""
    Opinion.objects.filter(pk=opinion.pk, state=OpinionState.OPEN).update(
        state=OpinionState.DOUBT if read.is_doubt else OpinionState.FINE,
        confidence=read.confidence, words=read.reason, data=dict(read.data),
    )  # fmt: skip


def fail_opinion(*, opinion: Opinion, code: str, data: Mapping[str, Any]) -> None:
    """Store why there is no opinion; `code` and `data` are those of `screens.fault_text`."""
    Opinion.objects.filter(pk=opinion.pk, state=OpinionState.OPEN).update(
        state=OpinionState.FAILED, words=code, data=dict(data)
    )


def reopen_opinions(*, screening_job: ScreeningJob) -> None:
    """Have the job ask again where the reason of a failure may have gone."""
    screening_job.opinions.filter(state=OpinionState.FAILED, words__in=RETRIED).update(
        state=OpinionState.OPEN, words="", data={}
    )


def _choose(project: Project, settings: ScreeningSettings) -> Chosen:
    _check_settings(project, settings)
    return choose_opinions(project, settings.screens, settings.selection, settings.model)


def _check_settings(project: Project, settings: ScreeningSettings) -> None:
    faults: dict[str, list[str]] = {}
    known = set(Screen.values)
    if not settings.screens or not known.issuperset(settings.screens):
        faults["screens"] = [_("Choose one or more of: %s.") % ", ".join(Screen.values)]
    if not 1 <= settings.concurrency <= MAX_CONCURRENCY:
        values = {"low": 1, "high": MAX_CONCURRENCY}
        faults["concurrency"] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if settings.budget is not None:
        faults |= budget_faults(settings.budget, [settings.model])
    if faults:
        raise ScreeningInvalid(fields=faults)
    check_answers_prompts(settings.model)
    check_not_retired(settings.model)
    check_usable(settings.model.endpoint, project)


def _check_again(started: ScreeningJob, job: Job) -> None:
    _check_alone(started.project, started.model_spec, besides=job)
    check_usable(started.model_spec.endpoint, started.project)


def _check_alone(project: Project, model: ModelSpec, besides: Job | None = None) -> None:
    alike = ScreeningJob.objects.filter(project=project, model_spec__name=model.name)
    unfinished = alike.filter(job__state__in=[JobState.QUEUED, JobState.RUNNING])
    if unfinished.exclude(job=besides).exists():
        raise ScreeningUnderway(model=model.name)


def _give_successor(started: ScreeningJob, job: Job, actor: User | None, now: datetime) -> None:
    successor = _new_job(started.project, started.model_spec, job.params["screens"], actor, now)
    if not ScreeningJob.objects.filter(pk=started.pk, job=job).update(job=successor):
        raise JobNotRunnable  # another caller has resumed it


def _new_job(
    project: Project, model: ModelSpec, screens: Sequence[str], actor: User | None, now: datetime
) -> Job:
    params = {"model": model.name, "model_revision": model.revision, "screens": list(screens)}
    return create_job(kind=SCREENING_KIND, scope=project.slug, params=params, actor=actor, now=now)
