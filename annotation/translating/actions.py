"""Starts, resumes and cancels translation jobs, and writes what becomes of each item."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from annotation.asking.actions import (
    INSERT_BATCH,
    AskingSettings,
    fail_row,
    queue_asking,
    settings_faults,
)
from annotation.asking.kinds import AskingKind
from annotation.asking.queries import Estimate
from annotation.enums import TranslatedState, TranslationStrategy
from annotation.items.queries import named_systems
from annotation.items.revisions import new_machine_text, store_machine_texts
from annotation.models import Revision, TranslatedItem, TranslationJob
from annotation.models.translating import MIN_SAMPLES, MOST_SAMPLES
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.plain_engines import engine_parameters
from annotation.translating.queries import choose_items, estimate_items
from annotation.translating.texts import ItemText
from common.errors import DomainError
from common.names import fold_name
from endpoints.connections import check_usable
from endpoints.held.actions import check_takes_files
from endpoints.models import Endpoint, ModelSpec
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.specs.actions import check_not_retired
from projects.models import Project
from prompts.actions import ensure_translation_prompt

SYSTEM_LENGTH: Final = 100


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


TRANSLATION: Final = AskingKind(
    name="translation",
    key="translation_job",
    jobs=TranslationJob.objects.select_related(
        "project", "job", "model_spec__endpoint", "judge_spec__endpoint", "prompt_template",
        "started_by",
    ),
    rows="items",
    reason="reason",
    data="reason_data",
    alone="system",
    word="system",
    invalid=TranslationInvalid,
    underway=TranslationUnderway,
    complete=TranslationComplete,
    view="annotation.view_translation_jobs",
    manage="annotation.translate_items",
    page="annotation:translation-job",
    page_list="annotation:translation-jobs",
    templates="annotation/translating",
    title=gettext_lazy("Machine translation"),
    start_title=gettext_lazy("Translate items"),
    progress_title=gettext_lazy("Calls made"),
    unit_title=gettext_lazy("Calls"),
    prompt_title=gettext_lazy("Prompt of translation jobs"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationSettings(AskingSettings):
    """How a job translates. Without a `judge`, the model judges itself."""

    system: str
    strategy: str
    judge: ModelSpec | None = None
    samples: int = 3

    @property
    def specs(self) -> list[ModelSpec]:
        has_judge = self.judge is not None and STRATEGIES[self.strategy].has_judge
        return [self.model, self.judge] if has_judge and self.judge else [self.model]


def estimate_translation(*, project: Project, settings: TranslationSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_translation` raises of settings."""
    check_settings(project, settings)
    chosen = choose_items(project, settings.system, settings.selection, settings.specs)
    return estimate_items(
        project, chosen, strategy=settings.strategy, samples=settings.samples,
        model=settings.model, judge=settings.specs[-1], is_from_file=settings.is_held,
    )  # fmt: skip


def start_translation(
    *, project: Project, settings: TranslationSettings, actor: User | None, now: datetime
) -> TranslationJob:
    """Queue or hold a job. Writes its job, its row, one row for each item and an audit row, then wakes a worker.

    Hidden items are left out unless the project allows their text at the endpoints. Raises
    TranslationInvalid, ProjectMonolingual, NothingToTranslate, TranslationUnderway,
    EndpointNotAllowed, EndpointClosed, and NoBatchFile if a plain engine is held.
    """
    check_settings(project, settings)
    chosen = choose_items(project, settings.system, settings.selection, settings.specs)
    if not chosen.items:
        raise NothingToTranslate(system=settings.system)
    model, system, strategy = settings.model, settings.system, settings.strategy
    started = TranslationJob(
        project=project, system=system, strategy=strategy, samples=settings.samples,
        judge_spec=next(iter(settings.specs[1:]), None), started_by=actor, started_at=now,
        prompt_template=ensure_translation_prompt(project=project, now=now), **settings.columns(),
    )  # fmt: skip
    params = {
        "system": system, "model": model.name, "model_revision": model.revision, "strategy": strategy,
    }  # fmt: skip
    with transaction.atomic():
        queue_asking(TRANSLATION, started, params=params, is_held=settings.is_held)
        TranslatedItem.objects.bulk_create(
            [TranslatedItem(translation_job=started, item_id=pk) for pk in chosen.items],
            batch_size=INSERT_BATCH,
        )
    return started


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


def conclude_items(
    *, started: TranslationJob, texts: Mapping[TranslatedItem, ItemText], now: datetime
) -> None:
    """Store the texts of items as texts of the job's system, or why one has none, all at once.

    The checks run before the transaction begins. Where it does not end, all of its rows stay open,
    and their stored answers are read again.
    """
    checked = [
        new_machine_text(
            item=row.item, question=text.question, options=text.options, answer=text.answer,
            explanation=text.explanation, now=now,
        )
        for row, text in texts.items()
    ]  # fmt: skip
    with transaction.atomic():
        stored = store_machine_texts(
            texts=checked, project=started.project, system=started.system,
            actor=started.started_by, now=now,
        )  # fmt: skip
        _conclude_rows(texts, {text.item.pk: text.revision for text in stored})


def _conclude_rows(rows: Collection[TranslatedItem], stored: Mapping[int, Revision]) -> None:
    done = [row for row in rows if row.item_id in stored]
    for row in done:
        row.state, row.revision = TranslatedState.TRANSLATED, stored[row.item_id]
    TranslatedItem.objects.bulk_update(done, ["state", "revision"])
    for row in rows:
        if row.item_id not in stored:
            fail_row(TRANSLATION, row, "text_exists", {})


def check_settings(project: Project, settings: TranslationSettings) -> None:
    """Raise TranslationInvalid with all faults, or the refusal of the project, a model or an endpoint."""
    if faults := _faults(settings) or _other_spelling(project, settings.system):
        raise TranslationInvalid(fields=faults)
    if project.is_monolingual:
        raise ProjectMonolingual
    if faults := _engine_faults(project, settings):
        raise TranslationInvalid(fields=faults)
    if settings.is_held:
        check_takes_files(settings.specs)
    for spec in settings.specs:
        check_not_retired(spec)
        check_usable(spec.endpoint, project)


def _faults(settings: TranslationSettings) -> dict[str, list[str]]:
    if settings.strategy not in STRATEGIES:
        return {"strategy": [_("Choose one of: %s.") % ", ".join(STRATEGIES)]}
    faults = settings_faults(settings, samples=(MIN_SAMPLES, MOST_SAMPLES))
    system = settings.system
    if not 0 < len(system) <= SYSTEM_LENGTH or not system.isprintable() or system != system.strip():
        faults["system"] = [_("Enter a name with at most 100 characters.")]
    return faults


def _other_spelling(project: Project, system: str) -> dict[str, list[str]]:
    """Refuse a system that looks like another: all its items would be translated a second time."""
    named = named_systems(project)
    alike = [name for name in named if fold_name(name) == fold_name(system)]
    if system in alike or not alike:
        return {}
    words = _("This project has a system “%s” already. Write it like that, or choose another name.")
    return {"system": [words % alike[0]]}


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
