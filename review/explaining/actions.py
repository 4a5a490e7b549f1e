"""Starts explanation jobs, and stores the explanations whose answer is the key."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.asking.actions import (
    INSERT_BATCH,
    AskingSettings,
    fail_row,
    queue_asking,
    settings_faults,
)
from annotation.asking.kinds import AskingKind, Task
from annotation.asking.queries import Estimate
from annotation.enums import Origin, TranslationState
from annotation.items.revisions import RevisionStale, create_revision
from annotation.models import Translation
from common.errors import DomainError
from endpoints.connections import check_usable
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from projects.models import Project
from prompts.enums import PromptPurpose
from review.enums import ExplainedState
from review.explaining.prompting import FRAME, TASK, Explained
from review.explaining.queries import UNDECIDED, Chosen, choose_texts, estimate_explaining
from review.models import ExplainedItem, ExplanationJob, Panel

EXPLANATIONS: Final = Task(purpose=PromptPurpose.MAKE, task=TASK, frame=FRAME)


class ExplainingInvalid(DomainError):
    code = "explaining_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToExplain(DomainError):
    code = "nothing_to_explain"
    detail = gettext_lazy(
        "No item of this selection can be explained. It needs options and a text of the project’s "
        "system that waits for review, is in no open round and has no explanation, and must not be hidden "
        "from this endpoint. Choose other items."
    )


class ExplainingUnderway(DomainError):
    code = "explaining_underway"
    detail = gettext_lazy(
        "An explanation job of the model “%(model)s” is already in progress. Wait for it, or cancel it."
    )


class ExplainingComplete(DomainError):
    code = "explaining_complete"
    detail = gettext_lazy("This job is complete: every item has its explanation or its reason.")


EXPLAINING: Final = AskingKind(
    name="explaining",
    key="explanation_job",
    jobs=ExplanationJob.objects.select_related(
        "project", "job", "model_spec__endpoint", "prompt_template", "started_by"
    ),
    rows="items",
    reason="reason",
    data="data",
    alone="model_spec__name",
    word="model",
    invalid=ExplainingInvalid,
    underway=ExplainingUnderway,
    complete=ExplainingComplete,
    view="review.view_explanation_jobs",
    manage="review.explain_items",
    page="review:explaining",
    page_list="review:explanation-jobs",
    templates="review/explaining",
    title=gettext_lazy("Explanations by a model"),
    start_title=gettext_lazy("Explain items"),
    progress_title=gettext_lazy("Items asked about"),
    unit_title=gettext_lazy("Items"),
    prompt_title=gettext_lazy("Prompt for explanations"),
)


def estimate_of(*, project: Project, settings: AskingSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_explaining` raises of settings."""
    return estimate_explaining(project, _choose(project, settings), settings.model)


def start_explaining(
    *, project: Project, settings: AskingSettings, actor: User | None, now: datetime
) -> ExplanationJob:
    """Queue a job. Writes its job with an audit row, its row, and a row for each text.

    Hidden items are left out unless the project allows their text at the endpoint. Raises
    ExplainingInvalid, NothingToExplain, ExplainingUnderway, EndpointNotAllowed, EndpointClosed,
    ModelRetired.
    """
    texts, model = _choose(project, settings).texts, settings.model
    if not texts:
        raise NothingToExplain
    with transaction.atomic():
        prompt = EXPLANATIONS.ensure(project, now=now)
        started = ExplanationJob(
            project=project, started_by=actor, started_at=now, prompt_template=prompt,
            **settings.columns(),
        )  # fmt: skip
        params = {"model": model.name, "model_revision": model.revision}
        queue_asking(EXPLAINING, started, params=params)
        ExplainedItem.objects.bulk_create(
            [
                ExplainedItem(explanation_job=started, item_id=item, revision_id=revision)
                for item, revision in texts
            ],
            batch_size=INSERT_BATCH,
        )
    return started


def conclude_item(*, row: ExplainedItem, found: Explained, now: datetime) -> None:
    """Store the text with its explanation as a new revision, or the reason why not.

    The explanation is kept only if the model's answer is the key. The new text is checked and waits
    for review like the one before it.
    """
    if found.answer != row.item.key:
        fail_row(EXPLAINING, row, "other_answer", {})
        return
    try:
        with transaction.atomic():
            _store(row, found.explanation, now)
    except RevisionStale:
        fail_row(EXPLAINING, row, "text_changed", {})


def _store(row: ExplainedItem, explanation: str, now: datetime) -> None:
    if Panel.objects.filter(item=row.item_id, state__in=UNDECIDED).exists():
        fail_row(EXPLAINING, row, "text_judged", {})
        return
    base = row.revision
    waiting = Translation.objects.filter(
        pk=base.translation_id, current_revision=base, state=TranslationState.PENDING
    )
    if not waiting.exists():
        raise RevisionStale
    made = create_revision(
        base=base, question=base.question, options=base.options, explanation=explanation,
        origin=Origin.MT, author=row.explanation_job.started_by, now=now,
    )  # fmt: skip
    ExplainedItem.objects.filter(pk=row.pk, state=ExplainedState.OPEN).update(
        state=ExplainedState.EXPLAINED, made=made
    )


def _choose(project: Project, settings: AskingSettings) -> Chosen:
    if faults := settings_faults(settings):
        raise ExplainingInvalid(fields=faults)
    check_answers_prompts(settings.model)
    check_not_retired(settings.model)
    check_usable(settings.model.endpoint, project)
    return choose_texts(project, settings.selection, settings.model)
