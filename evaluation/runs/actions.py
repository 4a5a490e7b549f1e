"""Starts, resumes and cancels model runs; `execution` does their work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from common.errors import DomainError
from endpoints.budgets import budget_faults
from endpoints.connections import check_usable
from endpoints.held.actions import NoBatchFile
from endpoints.models import ModelSpec
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from evaluation.models import Run
from evaluation.queries import asked_items, example_items, open_units
from evaluation.results.queries.usage import usage_of
from evaluation.runs.hidden_items import check_hidden_items
from jobs.actions import JobNotRunnable, cancel_job, create_job, hold_job, repeat_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project
from prompts.models import PromptTemplate
from releases.enums import ReleaseState
from releases.models import Release
from scoring.scorers import RUN_METHODS, TEXT_METHODS, are_likelihoods

RUN_KIND = "run"
RUNNABLE_RELEASES = (ReleaseState.BUILT, ReleaseState.PUBLISHED)
METHOD_NAMES = sorted(RUN_METHODS)
DEFAULT_METHODS = ("anchored", "direct", "concern_all")
MAX_SHOTS, MAX_EPOCHS, MAX_CONCURRENCY, MAX_ROTATION = 20, 50, 64, 9


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
        "Release %(version)s has no test items that the chosen methods can score. The method "
        "Numeric scores items whose answer is a number, Exact open-ended items that have a "
        "reference answer, Translation items that ask for a translation; the other methods score "
        "items with options. A run without methods asks open-ended items."
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


class RunImported(DomainError):
    code = "run_imported"
    detail = gettext_lazy(
        "The answers of this run were imported, so there is nothing to ask. Import the file again "
        "instead."
    )


class RunComplete(DomainError):
    code = "run_complete"
    detail = gettext_lazy("This run is complete: every question has an answer.")


class BudgetSpent(DomainError):
    code = "budget_spent"
    detail = gettext_lazy("The budget of this run is spent. Enter a higher one to go on.")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run; `methods` are names of scorers, and a run asks the items that they score.

    Without methods it asks the open-ended items, with nothing but their question. With
    `is_asked_again`, it also asks what an earlier run of the project has answered. `budget` is in
    US dollars. Options are shown from the one at `rotation` on. A run that `is_held` waits for the
    answers of batch files.
    """

    shots: int = 0
    epochs: int = 1
    methods: tuple[str, ...] = DEFAULT_METHODS
    concurrency: int = 8
    is_published: bool = False
    is_asked_again: bool = False
    budget: Decimal | None = None
    rotation: int = 0
    is_held: bool = False


def start_run(
    *,
    release: Release,
    model_spec: ModelSpec,
    prompt: PromptTemplate,
    settings: RunSettings,
    actor: User | None,
    now: datetime,
) -> Run:
    """Queue or hold a run. Writes its job, the run and an audit row in one transaction, then wakes a worker.

    Starting the same run again while it is queued or running is refused, so that a second click
    costs nothing. Raises RunInvalid, OtherProject, ReleaseNotRunnable, ReleaseWithoutTests,
    ReleaseWithoutShots, ModelRetired, EndpointNotAllowed, EndpointClosed, HiddenItemsKept,
    NoBatchFile, RunUnderway.
    """
    check_settings(settings, model_spec)
    check_parts(release, model_spec, prompt, settings)
    if settings.is_held:
        check_held(settings.methods)
    with transaction.atomic():
        lock_project(release.project_id)
        _check_alone(release, model_spec, prompt, settings)
        job = _new_job(release, model_spec, settings, actor, now)
        run: Run = Run.objects.create(
            release=release, model_spec=model_spec, prompt_template=prompt, shots=settings.shots,
            epochs=settings.epochs, rotation=settings.rotation, methods=list(settings.methods),
            concurrency=settings.concurrency, is_published=settings.is_published,
            is_asked_again=settings.is_asked_again, budget=settings.budget, job=job, started_by=actor, started_at=now,
        )  # fmt: skip
        if settings.is_held:  # before the transaction ends, so that no worker takes it in between
            hold_job(job=job, actor=actor, now=now)
            job.refresh_from_db()
    return run


@transaction.atomic
def resume_run(
    *, run: Run, actor: User | None, now: datetime, budget: Decimal | None = None
) -> Run:
    """Queue a run that stopped, or that has questions without an answer, to ask those.

    A failed or cancelled job goes back to the queue. A finished job is replaced by a new one. A
    `budget` replaces the one of the run. Raises RunImported, RunInvalid, RunComplete if every
    question has an answer, BudgetSpent, EndpointNotAllowed, EndpointClosed, HiddenItemsKept, and
    JobNotRunnable while the job is queued or running.
    """
    if run.imported_from:
        raise RunImported
    lock_project(run.release.project_id)
    job = Job.objects.get(pk=run.job_id)
    _check_budget(run, job, budget)
    if job.state != JobState.DONE:
        resume_job(job=job, actor=actor, now=now)
    elif not open_units(run):
        raise RunComplete
    else:
        refuse_resuming(job)
        repeat_job(job=job, holder=Run.objects.filter(pk=run.pk), actor=actor, now=now)
    run.refresh_from_db()
    return run


def refuse_resuming(job: Job) -> None:
    """Raise EndpointNotAllowed, EndpointClosed or HiddenItemsKept where a run may not go on."""
    run = Run.objects.select_related("model_spec__endpoint", "release__project").get(job=job)
    check_usable(run.model_spec.endpoint, run.release.project)
    check_hidden_items(run.release, run.model_spec, run.methods)


def _check_budget(run: Run, job: Job, budget: Decimal | None) -> None:
    """Store a new budget of a run that has ended. Raises RunInvalid, BudgetSpent, JobNotRunnable."""
    if budget is not None:
        if not job.has_ended:
            raise JobNotRunnable
        store_budget(run, budget)
    if run.budget is not None and job.has_ended and (usage_of(run).price or 0) >= run.budget:
        raise BudgetSpent


def store_budget(run: Run, budget: Decimal | None) -> None:
    """Give a run another budget; None leaves it as it is. Raises RunInvalid."""
    if budget is None:
        return
    if faults := budget_faults(budget, [run.model_spec]):
        raise RunInvalid(fields=faults)
    Run.objects.filter(pk=run.pk).update(budget=budget)
    run.budget = budget


def check_held(methods: Sequence[str]) -> None:
    """Raise NoBatchFile if a run asks for likelihoods: no batch file gives any."""
    if are_likelihoods(methods):
        raise NoBatchFile


def cancel_run(*, run: Run, actor: User | None, now: datetime) -> None:
    """Cancel a run. If it is running, it first finishes the current requests and keeps the answers.

    Raises JobNotCancellable if it has ended.
    """
    cancel_job(job=run.job, actor=actor, now=now)


def check_settings(settings: RunSettings, spec: ModelSpec) -> None:
    """Raise RunInvalid with all faults of the settings of a run of `spec`."""
    faults: dict[str, list[str]] = {}
    bounds = {
        "shots": (0, MAX_SHOTS),
        "epochs": (1, MAX_EPOCHS),
        "concurrency": (1, MAX_CONCURRENCY),
        "rotation": (0, MAX_ROTATION),
    }
    for name, (low, high) in bounds.items():
        if not low <= getattr(settings, name) <= high:
            values = {"low": low, "high": high}
            faults[name] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if settings.methods:
        faults |= _method_faults(settings.methods)
    elif settings.shots:
        faults["shots"] = [_("Open-ended items are asked without examples. Choose 0.")]
    if settings.budget is not None:
        faults |= budget_faults(settings.budget, [spec])
    if faults:
        raise RunInvalid(fields=faults)


def check_methods(methods: Sequence[str]) -> None:
    """Raise RunInvalid unless there are methods, and all of them are known."""
    if faults := _method_faults(methods):
        raise RunInvalid(fields=faults)


def _method_faults(methods: Sequence[str]) -> dict[str, list[str]]:
    known = ", ".join(RUN_METHODS)
    if not methods:
        return {"methods": [_("Choose at least one of: %s.") % known]}
    if unknown := [name for name in methods if name not in RUN_METHODS]:
        words = _("There is no method “%(name)s”. Choose from: %(known)s.")
        return {"methods": [words % {"name": unknown[0], "known": known}]}
    if are_likelihoods(methods) and set(methods) & set(TEXT_METHODS):
        words = _("Likelihood methods ask in another way. Start a run of their own for them.")
        return {"methods": [words]}
    return {}


def check_parts(
    release: Release, spec: ModelSpec, prompt: PromptTemplate, settings: RunSettings
) -> None:
    """Raise the refusal where a release, a model and a prompt cannot make a run."""
    if prompt.project_id != release.project_id or not spec.is_of(release.project):
        raise OtherProject
    if release.state not in RUNNABLE_RELEASES:
        raise ReleaseNotRunnable(version=release.version)
    if not asked_items(release, settings.methods).exists():
        raise ReleaseWithoutTests(version=release.version)
    if settings.shots and not example_items(release, settings.methods).exists():
        raise ReleaseWithoutShots(version=release.version)
    check_not_retired(spec)
    check_answers_prompts(spec)
    check_usable(spec.endpoint, release.project)
    check_hidden_items(release, spec, settings.methods)


def _check_alone(
    release: Release, spec: ModelSpec, prompt: PromptTemplate, settings: RunSettings
) -> None:
    alike = Run.objects.filter(
        release=release, model_spec=spec, prompt_template=prompt, shots=settings.shots,
        epochs=settings.epochs, rotation=settings.rotation,
        is_published=settings.is_published, job__state__in=[JobState.QUEUED, JobState.HELD, JobState.RUNNING],
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
