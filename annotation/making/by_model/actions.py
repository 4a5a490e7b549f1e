"""Starts making jobs, and imports what they made."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.asking.actions import INSERT_BATCH, AskingSettings, queue_asking, settings_faults
from annotation.asking.kinds import AskingKind, Task
from annotation.asking.queries import Estimate
from annotation.enums import MadePairState
from annotation.making.actions import import_made
from annotation.making.base import Made, MadeItem
from annotation.making.by_model.queries import (
    choose_pairs,
    estimate_making,
    pairs_without_item,
)
from annotation.making.distractors import item_of
from annotation.making.known import Chosen
from annotation.making.pairs import WAY, Pair
from annotation.making.prompting import DISTRACTORS_FRAME
from annotation.models import MadePair, MakingJob
from common.errors import DomainError
from endpoints.connections import check_usable
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from projects.models import Project
from prompts.enums import PromptPurpose

DISTRACTORS: Final = Task(purpose=PromptPurpose.MAKE, task=WAY, frame=DISTRACTORS_FRAME)


class MakingJobInvalid(DomainError):
    code = "making_job_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToPropose(DomainError):
    code = "nothing_to_propose"
    detail = gettext_lazy(
        "No pair is left to ask about. Each line is left out, or the project has its item already; "
        "the estimate says why."
    )


class MakingUnderway(DomainError):
    code = "making_underway"
    detail = gettext_lazy(
        "A making job of the model “%(model)s” is already in progress. Wait for it, or cancel it."
    )


class MakingComplete(DomainError):
    code = "making_complete"
    detail = gettext_lazy("This job is complete: every pair has its item or its reason.")


MAKING: Final = AskingKind(
    name="making",
    key="making_job",
    jobs=MakingJob.objects.select_related(
        "project", "job", "model_spec__endpoint", "prompt_template", "started_by"
    ),
    rows="pairs",
    reason="reason",
    data="data",
    alone="model_spec__name",
    word="model",
    invalid=MakingJobInvalid,
    underway=MakingUnderway,
    complete=MakingComplete,
    view="annotation.view_making_jobs",
    manage="annotation.make_items",
    page="annotation:making",
    page_list="annotation:making-jobs",
    templates="annotation/making/jobs",
    title=gettext_lazy("Wrong answers by a model"),
    start_title=gettext_lazy("Have wrong answers proposed"),
    progress_title=gettext_lazy("Pairs asked about"),
    unit_title=gettext_lazy("Pairs"),
    prompt_title=gettext_lazy("Prompt for wrong answers"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingJobSettings(AskingSettings):
    """Which model proposes wrong answers for which pairs: the text of a file of JSONL or CSV."""

    pairs: str
    seed: int = 0
    name: str = "made"


def estimate_of(*, project: Project, settings: MakingJobSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_making_job` raises of settings."""
    return estimate_making(project, _choose(project, settings), settings.model)


def start_making_job(
    *, project: Project, settings: MakingJobSettings, actor: User | None, now: datetime
) -> MakingJob:
    """Queue a job. Writes its job with an audit row, its row, and its pairs.

    Pairs whose item is in the project are left out, so that nothing is asked twice. Raises
    MakingJobInvalid, NothingToPropose, MakingUnderway, EndpointNotAllowed, EndpointClosed,
    ModelRetired.
    """
    pairs, model = _choose(project, settings).rows, settings.model
    if not pairs:
        raise NothingToPropose
    params = {"model": model.name, "model_revision": model.revision, "file": settings.name}
    with transaction.atomic():
        prompt = DISTRACTORS.ensure(project, now=now)
        started = MakingJob(
            project=project, started_by=actor, started_at=now, prompt_template=prompt,
            name=settings.name[:200], seed=settings.seed, **settings.columns(),
        )  # fmt: skip
        queue_asking(MAKING, started, params=params)
        MadePair.objects.bulk_create(
            [_row(started, pair) for pair in pairs], batch_size=INSERT_BATCH
        )
    return started


def keep_proposals(*, pair: MadePair, distractors: Sequence[str]) -> None:
    """Store the wrong answers of a pair that can be used, if it is still open."""
    MadePair.objects.filter(pk=pair.pk, state=MadePairState.OPEN).update(
        state=MadePairState.MADE, distractors=[*distractors]
    )


def import_pairs(*, started: MakingJob, now: datetime) -> int:
    """Import the items of the made pairs that have none yet; return how many.

    Keyed by the uid of a pair, so running this again imports nothing twice. A row that the import
    refuses keeps back no other. Raises what `import_path` raises.
    """
    items = [_item(started, pair) for pair in pairs_without_item(started)]
    if not items:
        return 0
    report = import_made(
        project=started.project, way=WAY, made=Made(items, []), name=f"making-{started.pk}",
        actor=started.started_by, now=now, is_skipping_refused=True,
    )  # fmt: skip
    return report.imported


def _choose(project: Project, settings: MakingJobSettings) -> Chosen[Pair]:
    faults = settings_faults(settings)
    if not settings.pairs.strip():
        faults["pairs"] = [_("Enter at least one pair.")]
    if faults:
        raise MakingJobInvalid(fields=faults)
    check_answers_prompts(settings.model)
    check_not_retired(settings.model)
    check_usable(settings.model.endpoint, project)
    return choose_pairs(project, settings.pairs)


def _row(started: MakingJob, pair: Pair) -> MadePair:
    return MadePair(
        making_job=started, line=pair.line, uid=pair.uid, question=pair.question,
        answer=pair.answer, subject=pair.subject,
    )  # fmt: skip


def _item(started: MakingJob, row: MadePair) -> MadeItem:
    """Return the item of a made pair; its recipe names the model and the revision of the prompt."""
    pair = Pair(row.line, row.question, row.answer, row.subject, row.uid.partition("/")[2])
    spec, prompt = started.model_spec, started.prompt_template
    by = f"{spec.name} r{spec.revision}, prompt r{prompt.revision}"
    found = item_of(pair, row.distractors, seed=started.seed, proposed_by=by)
    if isinstance(found, str):
        raise TypeError(found)  # the proposals were checked before they were stored
    return found
