"""Starts, takes up again and stops model runs; what a run does is in `work`."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import ANONYMOUS, record_event
from accounts.models import User
from annotation.enums import SplitName
from common.enums import ENDED_JOB_STATES, JobState
from common.errors import DomainError
from common.jobs import (
    JobNotCancellable,
    JobNotRunnable,
    cancel_job,
    create_job,
    register_kind,
    requeue_job,
)
from common.models import Job
from evaluation.actions.specs import check_endpoint
from evaluation.models import ModelSpec, PromptTemplate, Run
from evaluation.queries.runs import open_units
from evaluation.scorers import SCORERS
from releases.enums import ReleaseState
from releases.models import Release

RUN_KIND = "run"
RUNNABLE_RELEASES = (ReleaseState.BUILT, ReleaseState.PUBLISHED)
RUN_METHODS = tuple(name for name, scorer in SCORERS.items() if scorer.key_kind == "option")
DEFAULT_METHODS = ("direct", "concern_all", "anchored")
MAX_SHOTS, MAX_EPOCHS, MAX_CONCURRENCY = 20, 50, 64


class RunInvalid(DomainError):
    code = "run_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class ReleaseNotRunnable(DomainError):
    code = "release_not_runnable"
    detail = gettext_lazy(
        "Models run on releases that are built or published; %(version)s is not one of them."
    )


class ReleaseWithoutTests(DomainError):
    code = "release_without_tests"
    detail = gettext_lazy("Release %(version)s has no test item.")


class ReleaseWithoutShots(DomainError):
    code = "release_without_shots"
    detail = gettext_lazy(
        "Release %(version)s has no dev item to show as an example. Run it with 0 shots."
    )


class OtherProject(DomainError):
    code = "other_project"
    detail = gettext_lazy("Release, model and prompt must be of the same project.")
    status = 400


class RunUnderway(DomainError):
    code = "run_underway"
    detail = gettext_lazy("The same run is underway already. Wait for its end, or cancel it.")


class RunComplete(DomainError):
    code = "run_complete"
    detail = gettext_lazy("This run has an answer to every question; nothing is left to ask.")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a release is put to a model; `methods` are names of scorers."""

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
    """Queue a run: in one transaction its job, the run and an audit row; a worker wakes on commit.

    Asking again while the same run waits or works is refused, so that a second click costs
    nothing. Raises RunInvalid, OtherProject, ReleaseNotRunnable, ReleaseWithoutTests,
    ReleaseWithoutShots, ModelInvalid (the endpoint is not allowed), RunUnderway.
    """
    _check_settings(settings)
    _check_parts(release, model_spec, prompt, settings)
    with transaction.atomic():
        # A write, so that of two callers at once the second waits for the first.
        Release.objects.filter(pk=release.pk).update(seed=release.seed)
        _check_alone(release, model_spec, prompt, settings)
        job = _new_job(release, actor, now)
        run = Run.objects.create(
            release=release, model_spec=model_spec, prompt_template=prompt, shots=settings.shots,
            epochs=settings.epochs, methods=list(settings.methods),
            concurrency=settings.concurrency, job=job, started_by=actor, started_at=now,
        )  # fmt: skip
        _record(run, "run.started", actor, now)
    return run


@transaction.atomic
def resume_run(*, run: Run, actor: User | None, now: datetime) -> Run:
    """Queue a run that stopped or left questions open; it asks exactly what has no answer.

    A failed or cancelled job goes back to the queue; a job that is done with open questions gets
    a successor. Raises RunComplete when nothing is open, JobNotRunnable while it waits or runs.
    """
    job = Job.objects.get(pk=run.job_id)
    if job.state not in ENDED_JOB_STATES:
        raise JobNotRunnable
    if job.state != JobState.DONE:
        requeue_job(job=job, now=now)
    elif not open_units(run):
        raise RunComplete
    else:
        successor = _new_job(run.release, actor, now)
        if not Run.objects.filter(pk=run.pk, job=job).update(job=successor):
            raise JobNotRunnable
    _record(run, "run.resumed", actor, now)
    run.refresh_from_db()
    return run


@transaction.atomic
def cancel_run(*, run: Run, actor: User | None, now: datetime) -> None:
    """Stop a run: at once if it waits; else calls in flight end and are kept.

    Raises JobNotCancellable when it has ended.
    """
    cancel_job(job=run.job, now=now)
    _record(run, "run.cancelled", actor, now)


def _resume_run_of(job: Job, actor: User | None, now: datetime) -> None:
    run = Run.objects.filter(job=job).first()
    if run is None or job.state == JobState.DONE:
        raise JobNotRunnable  # a successor, which is another job, is asked for on the run itself
    resume_run(run=run, actor=actor, now=now)


def _cancel_run_of(job: Job, actor: User | None, now: datetime) -> None:
    run = Run.objects.filter(job=job).first()
    if run is None:
        raise JobNotCancellable
    cancel_run(run=run, actor=actor, now=now)


register_kind(
    RUN_KIND,
    task="evaluation.tasks.run_model",
    resume=_resume_run_of,
    cancel=_cancel_run_of,
)


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
    if not release.items.filter(split=SplitName.TEST).exists():
        raise ReleaseWithoutTests(version=release.version)
    if settings.shots and not release.items.filter(split=SplitName.DEV).exists():
        raise ReleaseWithoutShots(version=release.version)
    check_endpoint(spec.base_url)


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


def _new_job(release: Release, actor: User | None, now: datetime) -> Job:
    return create_job(
        kind=RUN_KIND,
        scope=release.project.slug,
        params={"release": release.version},
        requested_by=actor.email if actor else ANONYMOUS,
        now=now,
    )


def _record(run: Run, verb: str, actor: User | None, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"run:{run.pk}",
        scope=run.release.project.slug,
        data={
            "release": run.release.version,
            "model": run.model_spec.name,
            "model_revision": run.model_spec.revision,
            "shots": run.shots,
            "epochs": run.epochs,
        },
        now=now,
    )
