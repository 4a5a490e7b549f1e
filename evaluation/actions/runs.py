"""Starts, resumes and cancels model runs; `execution` does their work."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from common.errors import DomainError
from endpoints.connections import check_usable
from evaluation.models import ModelSpec, PromptTemplate, Run
from evaluation.queries.runs import asked_items, example_items, open_units
from evaluation.scorers import SCORERS
from jobs.actions import JobNotRunnable, cancel_job, create_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from releases.enums import ReleaseState
from releases.models import Release

RUN_KIND = "run"
RUNNABLE_RELEASES = (ReleaseState.BUILT, ReleaseState.PUBLISHED)
RUN_METHODS = tuple(SCORERS)
DEFAULT_METHODS = ("anchored", "direct", "concern_all")
MAX_SHOTS, MAX_EPOCHS, MAX_CONCURRENCY = 20, 50, 64


class RunInvalid(DomainError):
    code = "run_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class ReleaseNotRunnable(DomainError):
    code = "release_not_runnable"
    detail = gettext_lazy(
        "Release %(version)s cannot be used for a run because it is neither built nor published."
    )


class ReleaseWithoutTests(DomainError):
    code = "release_without_tests"
    detail = gettext_lazy(
        "Release %(version)s has no test items that the chosen methods can score. The method Numeric"
        " scores items that a number answers, the other methods score items with options."
    )


class ReleaseWithoutShots(DomainError):
    code = "release_without_shots"
    detail = gettext_lazy(
        "Release %(version)s has no dev items to use as examples. Choose 0 examples."
    )


class OtherProject(DomainError):
    code = "other_project"
    detail = gettext_lazy("Release, model and prompt must belong to the same project.")
    status = 400


class RunUnderway(DomainError):
    code = "run_underway"
    detail = gettext_lazy(
        "The same run is already in progress. Wait for it to finish, or cancel it."
    )


class RunComplete(DomainError):
    code = "run_complete"
    detail = gettext_lazy("This run is complete: every question has an answer.")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run; `methods` are names of scorers, and a run asks the items that they score."""

    shots: int = 0
    epochs: int = 1
    methods: tuple[str, ...] = DEFAULT_METHODS
    concurrency: int = 8


def start_run(
    *,
    release: Release,
    model_spec: ModelSpec,
    prompt: PromptTemplate,
    settings: RunSettings,
    actor: User | None,
    now: datetime,
) -> Run:
    """Queue a run. Writes its job, the run and an audit row in one transaction, then wakes a worker.

    Starting the same run again while it is queued or running is refused, so that a second click
    costs nothing. Raises RunInvalid, OtherProject, ReleaseNotRunnable, ReleaseWithoutTests,
    ReleaseWithoutShots, EndpointNotAllowed, EndpointClosed, RunUnderway.
    """
    _check_settings(settings)
    _check_parts(release, model_spec, prompt, settings)
    with transaction.atomic():
        # This write makes the second of two simultaneous callers wait for the first.
        Release.objects.filter(pk=release.pk).update(seed=release.seed)
        _check_alone(release, model_spec, prompt, settings)
        job = _new_job(release, model_spec, settings, actor, now)
        run: Run = Run.objects.create(
            release=release, model_spec=model_spec, prompt_template=prompt, shots=settings.shots,
            epochs=settings.epochs, methods=list(settings.methods),
            concurrency=settings.concurrency, job=job, started_by=actor, started_at=now,
        )  # fmt: skip
    return run


@transaction.atomic
def resume_run(*, run: Run, actor: User | None, now: datetime) -> Run:
    """Queue a run that stopped, or that has questions without an answer, to ask those.

    A failed or cancelled job goes back to the queue. A finished job is replaced by a new one.
    Raises RunComplete if every question has an answer, and JobNotRunnable while the job is queued
    or running.
    """
    job = Job.objects.get(pk=run.job_id)
    if job.state != JobState.DONE:
        resume_job(job=job, actor=actor, now=now)
    elif not open_units(run):
        raise RunComplete
    else:
        _give_successor(run, job, actor, now)
    run.refresh_from_db()
    return run


def cancel_run(*, run: Run, actor: User | None, now: datetime) -> None:
    """Cancel a run. If it is running, it first finishes the current requests and keeps the answers.

    Raises JobNotCancellable if it has ended.
    """
    cancel_job(job=run.job, actor=actor, now=now)


def _give_successor(run: Run, job: Job, actor: User | None, now: datetime) -> None:
    settings = RunSettings(run.shots, run.epochs, tuple(run.methods), run.concurrency)
    successor = _new_job(run.release, run.model_spec, settings, actor, now)
    if not Run.objects.filter(pk=run.pk, job=job).update(job=successor):
        raise JobNotRunnable  # another caller has resumed it


def _check_settings(settings: RunSettings) -> None:
    faults: dict[str, list[str]] = {}
    bounds = {
        "shots": (0, MAX_SHOTS),
        "epochs": (1, MAX_EPOCHS),
        "concurrency": (1, MAX_CONCURRENCY),
    }
    for name, (low, high) in bounds.items():
        if not low <= getattr(settings, name) <= high:
            values = {"low": low, "high": high}
            faults[name] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if not settings.methods or not set(settings.methods) <= set(RUN_METHODS):
        faults["methods"] = [_("Choose at least one of: %s.") % ", ".join(RUN_METHODS)]
    if faults:
        raise RunInvalid(fields=faults)


def _check_parts(
    release: Release, spec: ModelSpec, prompt: PromptTemplate, settings: RunSettings
) -> None:
    if not release.project_id == spec.project_id == prompt.project_id:
        raise OtherProject
    if release.state not in RUNNABLE_RELEASES:
        raise ReleaseNotRunnable(version=release.version)
    if not asked_items(release, settings.methods).exists():
        raise ReleaseWithoutTests(version=release.version)
    if settings.shots and not example_items(release, settings.methods).exists():
        raise ReleaseWithoutShots(version=release.version)
    check_usable(spec.endpoint, spec.project)


def _check_alone(
    release: Release, spec: ModelSpec, prompt: PromptTemplate, settings: RunSettings
) -> None:
    alike = Run.objects.filter(
        release=release, model_spec=spec, prompt_template=prompt, shots=settings.shots,
        epochs=settings.epochs, job__state__in=[JobState.QUEUED, JobState.RUNNING],
    )  # fmt: skip
    wanted = sorted(settings.methods)
    if any(sorted(methods) == wanted for methods in alike.values_list("methods", flat=True)):
        raise RunUnderway


def _new_job(
    release: Release, spec: ModelSpec, settings: RunSettings, actor: User | None, now: datetime
) -> Job:
    return create_job(
        kind=RUN_KIND,
        scope=release.project.slug,
        params={
            "release": release.version,
            "model": spec.name,
            "model_revision": spec.revision,
            "shots": settings.shots,
            "epochs": settings.epochs,
        },
        actor=actor,
        now=now,
    )
