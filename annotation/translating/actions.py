"""Starts, resumes and cancels translation jobs, and writes what becomes of each item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from annotation.enums import TranslatedState, TranslationStrategy
from annotation.items.revisions import TextExists, create_machine_text
from annotation.models import TranslatedItem, TranslationJob
from annotation.models.translating import MIN_SAMPLES, MOST_SAMPLES
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.plain_engines import engine_parameters
from annotation.translating.queries import (
    RETRIED,
    Estimate,
    Selection,
    choose_items,
    estimate,
    retried_items,
)
from annotation.translating.texts import ItemText
from common.errors import DomainError
from endpoints.budgets import budget_faults
from endpoints.connections import check_usable
from endpoints.models import Endpoint, ModelSpec
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.specs.actions import check_not_retired
from jobs.actions import JobNotRunnable, cancel_job, create_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project
from prompts.actions import ensure_translation_prompt

TRANSLATION_KIND: Final = "translation"
MAX_CONCURRENCY: Final = 64
SYSTEM_LENGTH: Final = 100
INSERT_BATCH: Final = 1000


class TranslationInvalid(DomainError):
    code = "translation_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToTranslate(DomainError):
    code = "nothing_to_translate"
    detail = gettext_lazy(
        "No item of this selection can be translated. Each has a text of “%(system)s” already, is "
        "excluded, or is hidden from this endpoint. Choose other items or another system."
    )


class ProjectMonolingual(DomainError):
    code = "project_monolingual"
    detail = gettext_lazy("Source and target of this project are one language.")


class TranslationUnderway(DomainError):
    code = "translation_underway"
    detail = gettext_lazy(
        "A job of the system “%(system)s” is already in progress. Wait for it, or cancel it."
    )


class TranslationComplete(DomainError):
    code = "translation_complete"
    detail = gettext_lazy("This job is complete: every item is translated or has its reason.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationSettings:
    """How a job translates. Without a `judge`, the model judges itself. `budget` is in US dollars."""

    system: str
    strategy: str
    model: ModelSpec
    judge: ModelSpec | None = None
    samples: int = 3
    concurrency: int = 8
    budget: Decimal | None = None
    selection: Selection = field(default_factory=Selection)

    @property
    def specs(self) -> list[ModelSpec]:
        """The models that see the items."""
        has_judge = self.judge is not None and STRATEGIES[self.strategy].has_judge
        return [self.model, self.judge] if has_judge and self.judge else [self.model]


def estimate_translation(*, project: Project, settings: TranslationSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_translation` raises of settings."""
    check_settings(project, settings)
    chosen = choose_items(project, settings.system, settings.selection, settings.specs)
    return estimate(
        project, chosen, strategy=settings.strategy, samples=settings.samples,
        model=settings.model, judge=settings.specs[-1],
    )  # fmt: skip


def start_translation(
    *, project: Project, settings: TranslationSettings, actor: User | None, now: datetime
) -> TranslationJob:
    """Queue a job. Writes its job, its row, one row for each item and an audit row, then wakes a worker.

    Hidden items are left out unless the project allows their text at the endpoints. Raises
    TranslationInvalid, ProjectMonolingual, NothingToTranslate, TranslationUnderway,
    EndpointNotAllowed, EndpointClosed.
    """
    check_settings(project, settings)
    chosen = choose_items(project, settings.system, settings.selection, settings.specs)
    if not chosen.items:
        raise NothingToTranslate(system=settings.system)
    prompt = ensure_translation_prompt(project=project, now=now)
    with transaction.atomic():
        lock_project(project.pk)
        _check_alone(project, settings.system)
        started: TranslationJob = TranslationJob.objects.create(
            project=project, system=settings.system, model_spec=settings.model,
            judge_spec=next(iter(settings.specs[1:]), None), prompt_template=prompt,
            strategy=settings.strategy, samples=settings.samples,
            concurrency=settings.concurrency, selection=settings.selection.as_json(),
            budget=settings.budget, started_by=actor, started_at=now,
            job=_new_job(project, settings.system, settings.model, settings.strategy, actor, now),
        )  # fmt: skip
        TranslatedItem.objects.bulk_create(
            [TranslatedItem(translation_job=started, item_id=pk) for pk in chosen.items],
            batch_size=INSERT_BATCH,
        )
    return started


@transaction.atomic
def resume_translation(
    *,
    translation_job: TranslationJob,
    actor: User | None,
    now: datetime,
    budget: Decimal | None = None,
) -> TranslationJob:
    """Queue a job again for the items that are open, or whose endpoint did not answer.

    A `budget` replaces the one of the job. Raises TranslationInvalid, TranslationComplete,
    TranslationUnderway, EndpointNotAllowed, EndpointClosed, and JobNotRunnable while the job is
    queued or running.
    """
    lock_project(translation_job.project_id)
    job = Job.objects.get(pk=translation_job.job_id)
    if not job.has_ended:
        raise JobNotRunnable
    if not retried_items(translation_job).exists():
        raise TranslationComplete
    if budget is not None:
        if faults := budget_faults(budget, [translation_job.model_spec, translation_job.judge]):
            raise TranslationInvalid(fields=faults)
        TranslationJob.objects.filter(pk=translation_job.pk).update(budget=budget)
    _check_again(translation_job, job)
    if job.state == JobState.DONE:
        _give_successor(translation_job, job, actor, now)
    else:
        resume_job(job=job, actor=actor, now=now)
    translation_job.refresh_from_db()
    return translation_job


def cancel_translation(
    *, translation_job: TranslationJob, actor: User | None, now: datetime
) -> None:
    """Cancel a job; answers and texts so far are kept. Raises JobNotCancellable if it has ended."""
    cancel_job(job=translation_job.job, actor=actor, now=now)


@transaction.atomic
def allow_hidden_items(
    *, endpoint: Endpoint, project: Project, is_allowed: bool, actor: User | None, now: datetime
) -> None:
    """Say whether translation jobs may send hidden items of the project to an endpoint; with an audit row.

    Saying the same again changes nothing.
    """
    there = endpoint.hidden_item_projects.filter(pk=project.pk).exists()
    if there == is_allowed:
        return
    if is_allowed:
        endpoint.hidden_item_projects.add(project)
    else:
        endpoint.hidden_item_projects.remove(project)
    record_event(
        actor=actor,
        verb="endpoint.hidden_items_allowed" if is_allowed else "endpoint.hidden_items_kept",
        target=f"endpoint:{endpoint.pk}",
        scope=project.slug,
        data={"name": endpoint.name},
        now=now,
    )


def conclude_item(*, row: TranslatedItem, text: ItemText, now: datetime) -> None:
    """Store the text of an item as a text of the job's system, or the reason why it has none."""
    started = row.translation_job
    try:
        with transaction.atomic():
            revision = create_machine_text(
                item=row.item, system=started.system, question=text.question,
                options=text.options, answer=text.answer, explanation=text.explanation,
                actor=started.started_by, now=now,
            )  # fmt: skip
            TranslatedItem.objects.filter(pk=row.pk).update(
                state=TranslatedState.TRANSLATED, revision=revision
            )
    except TextExists:
        fail_item(row=row, code="text_exists", data={})


def fail_item(*, row: TranslatedItem, code: str, data: Mapping[str, str | int]) -> None:
    """Store why an item has no text; `code` and `data` are those of `texts.fault_text`."""
    TranslatedItem.objects.filter(pk=row.pk, state=TranslatedState.OPEN).update(
        state=TranslatedState.FAILED, reason=code, reason_data=dict(data)
    )


def reopen_items(*, translation_job: TranslationJob) -> None:
    """Have the job try again the items whose reason may have gone."""
    translation_job.items.filter(state=TranslatedState.FAILED, reason__in=RETRIED).update(
        state=TranslatedState.OPEN, reason="", reason_data={}
    )


def check_settings(project: Project, settings: TranslationSettings) -> None:
    """Raise TranslationInvalid with all faults, or the refusal of the project, a model or an endpoint."""
    faults = _faults(settings)
    if faults:
        raise TranslationInvalid(fields=faults)
    if project.is_monolingual:
        raise ProjectMonolingual
    if faults := _engine_faults(project, settings):
        raise TranslationInvalid(fields=faults)
    for spec in settings.specs:
        check_not_retired(spec)
        check_usable(spec.endpoint, project)


def _faults(settings: TranslationSettings) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    if settings.strategy not in STRATEGIES:
        return {"strategy": [_("Choose one of: %s.") % ", ".join(STRATEGIES)]}
    system = settings.system
    if not 0 < len(system) <= SYSTEM_LENGTH or not system.isprintable() or system != system.strip():
        faults["system"] = [_("Enter a name with at most 100 characters.")]
    bounds = {"samples": (MIN_SAMPLES, MOST_SAMPLES), "concurrency": (1, MAX_CONCURRENCY)}
    for name, (low, high) in bounds.items():
        if not low <= getattr(settings, name) <= high:
            values = {"low": low, "high": high}
            faults[name] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if settings.budget is not None:
        faults |= budget_faults(settings.budget, settings.specs)
    return faults


def _engine_faults(project: Project, settings: TranslationSettings) -> dict[str, list[str]]:
    """Return what is wrong with the choice of plain engines: their strategy, the judge, the languages."""
    spec, is_plain = settings.model, settings.strategy == TranslationStrategy.ENGINE
    engine = ENGINES.get(spec.endpoint.provider)
    if is_plain and not engine:
        words = _("“%s” is not a translation engine. Choose another strategy.")
        return {"strategy": [words % spec.name]}
    if engine and not is_plain:
        words = _("“%s” is a translation engine. Choose the strategy “engine”.")
        return {"strategy": [words % spec.name]}
    for judge in settings.specs[1:]:
        if judge.endpoint.provider in ENGINES:
            words = _("“%s” is a translation engine and cannot judge. Choose another model.")
            return {"judge": [words % judge.name]}
    values = engine_parameters(engine, project, spec.parameters) if engine else {}
    if values and not (values["source"] and values["target"]):
        words = _(
            "As far as we know, “%(model)s” does not translate from %(source)s to %(target)s. If it does, name "
            "its codes in the parameter “languages” of the model: {“%(target)s”: “code”}."
        )
        named = {"source": project.source_language, "target": project.target_language}
        return {"model": [words % {"model": spec.name, **named}]}
    return {}


def refuse_resuming(job: Job) -> None:
    """Raise TranslationUnderway, EndpointNotAllowed or EndpointClosed where a job may not go on."""
    started = TranslationJob.objects.select_related(
        "project", "model_spec__endpoint", "judge_spec__endpoint"
    ).get(job=job)
    lock_project(started.project_id)
    _check_again(started, job)


def _check_again(started: TranslationJob, job: Job) -> None:
    _check_alone(started.project, started.system, besides=job)
    for spec in {started.model_spec, started.judge}:
        check_usable(spec.endpoint, started.project)


def _check_alone(project: Project, system: str, besides: Job | None = None) -> None:
    alike = TranslationJob.objects.filter(project=project, system=system).exclude(job=besides)
    if alike.filter(job__state__in=[JobState.QUEUED, JobState.RUNNING]).exists():
        raise TranslationUnderway(system=system)


def _give_successor(started: TranslationJob, job: Job, actor: User | None, now: datetime) -> None:
    successor = _new_job(
        started.project, started.system, started.model_spec, started.strategy, actor, now
    )
    if not TranslationJob.objects.filter(pk=started.pk, job=job).update(job=successor):
        raise JobNotRunnable  # another caller has resumed it


def _new_job(
    project: Project,
    system: str,
    model: ModelSpec,
    strategy: str,
    actor: User | None,
    now: datetime,
) -> Job:
    return create_job(
        kind=TRANSLATION_KIND,
        scope=project.slug,
        params={
            "system": system,
            "model": model.name,
            "model_revision": model.revision,
            "strategy": strategy,
        },
        actor=actor,
        now=now,
    )
