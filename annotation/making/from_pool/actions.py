"""Starts sampling jobs, keeps scores, topics and the sample, and imports the sample."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings as server
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.asking.actions import INSERT_BATCH, AskingSettings, queue_asking, settings_faults
from annotation.asking.kinds import AskingKind, Task
from annotation.asking.queries import FAILED, RETRIED, Estimate
from annotation.enums import PooledState
from annotation.making.actions import import_made
from annotation.making.base import Made, MadeItem
from annotation.making.from_pool.pool import MOST_PROMPTS, WAY, PoolPrompt
from annotation.making.from_pool.prompting import SCORES_FRAME, Scores
from annotation.making.from_pool.queries import (
    choose_prompts,
    estimate_sampling,
    sample_of,
    sample_without_item,
)
from annotation.making.from_pool.sampling import Topic
from annotation.making.known import Chosen
from annotation.models import PooledPrompt, SamplingJob
from common.errors import DomainError
from endpoints.connections import check_usable
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from projects.models import Project
from prompts.enums import PromptPurpose

VERSION: Final = 1
DEFAULT_COUNT: Final = 100
SCORES: Final = Task(purpose=PromptPurpose.MAKE, task=WAY, frame=SCORES_FRAME)


class SamplingJobInvalid(DomainError):
    code = "sampling_job_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToScore(DomainError):
    code = "nothing_to_score"
    detail = gettext_lazy(
        "No prompt is left to score. Each line is left out, or the project has its item already; "
        "the estimate says why."
    )


class SamplingUnderway(DomainError):
    code = "sampling_underway"
    detail = gettext_lazy(
        "A sampling job of the model “%(model)s” is already in progress. Wait for it, or cancel it."
    )


class SamplingComplete(DomainError):
    code = "sampling_complete"
    detail = gettext_lazy("This job is complete: its sample is drawn, and stays as it is.")


SAMPLING: Final = AskingKind(
    name="sampling",
    key="sampling_job",
    jobs=SamplingJob.objects.select_related(
        "project", "job", "model_spec__endpoint", "prompt_template", "started_by"
    ),
    rows="prompts",
    reason="reason",
    data="data",
    alone="model_spec__name",
    word="model",
    invalid=SamplingJobInvalid,
    underway=SamplingUnderway,
    complete=SamplingComplete,
    view="annotation.view_making_jobs",
    manage="annotation.make_items",
    page="annotation:sampling",
    page_list="annotation:sampling-jobs",
    templates="annotation/making/sampling",
    title=gettext_lazy("Prompts from a pool"),
    start_title=gettext_lazy("Draw prompts from a pool"),
    progress_title=gettext_lazy("Prompts scored"),
    unit_title=gettext_lazy("Prompts"),
    prompt_title=gettext_lazy("Prompt for scores of prompts"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingSettings(AskingSettings):
    """Which model scores the prompts of `pool`, the text of a file, and how many are drawn."""

    pool: str
    count: int = DEFAULT_COUNT
    seed: int = 0
    name: str = "pool"


def estimate_of(*, project: Project, settings: SamplingSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_sampling` raises of settings."""
    return estimate_sampling(project, _choose(project, settings), settings.model)


def start_sampling(
    *, project: Project, settings: SamplingSettings, actor: User | None, now: datetime
) -> SamplingJob:
    """Queue a job. Writes its job with an audit row, its row, and its prompts.

    Prompts whose item is in the project are left out. Raises SamplingJobInvalid, NothingToScore,
    SamplingUnderway, EndpointNotAllowed, EndpointClosed, ModelRetired.
    """
    prompts, model = _choose(project, settings).rows, settings.model
    if not prompts:
        raise NothingToScore
    params = {"model": model.name, "model_revision": model.revision, "file": settings.name}
    with transaction.atomic():
        template = SCORES.ensure(project, now=now)
        started = SamplingJob(
            project=project, started_by=actor, started_at=now, prompt_template=template,
            name=settings.name[:200], count=settings.count, seed=settings.seed,
            embedding_model=server.EMBEDDING_MODEL, **settings.columns(),
        )  # fmt: skip
        queue_asking(SAMPLING, started, params=params)
        PooledPrompt.objects.bulk_create(
            [_row(started, prompt) for prompt in prompts], batch_size=INSERT_BATCH
        )
    return started


def keep_topics(*, rows: Sequence[PooledPrompt], topics: Sequence[Topic]) -> None:
    """Store the topic of each prompt, some at once, so that no other writer waits for long."""
    for row, topic in zip(rows, topics, strict=True):
        row.topic, row.twins = topic.number, topic.twins
    for first in range(0, len(rows), INSERT_BATCH):
        PooledPrompt.objects.bulk_update(rows[first : first + INSERT_BATCH], ["topic", "twins"])


def keep_scores(*, row: PooledPrompt, scores: Scores) -> None:
    """Store the scores of a prompt, if it is still open."""
    PooledPrompt.objects.filter(pk=row.pk, state=PooledState.OPEN).update(
        state=PooledState.SCORED, **asdict(scores)
    )


@transaction.atomic
def keep_sample(*, started: SamplingJob, lines: Sequence[int]) -> None:
    """Store the prompts that were drawn, in their order, after those that are drawn already.

    Once the sample is full, no prompt is asked about again, also where the endpoint did not answer.
    """
    first = sample_of(started).count() + 1
    rows = {row.line: row for row in started.prompts.filter(place=None, state=PooledState.SCORED)}
    chosen = [rows[line] for line in lines]
    for place, row in enumerate(chosen, start=first):
        row.place = place
    PooledPrompt.objects.bulk_update(chosen, ["place"], batch_size=INSERT_BATCH)
    if sample_of(started).count() >= started.count:
        unanswered = started.prompts.filter(state=FAILED, reason__in=RETRIED)
        unanswered.update(reason="drawn_without", data={})


def import_sample(*, started: SamplingJob, now: datetime) -> int:
    """Import the items of the sample that the project does not have; return how many.

    Keyed by the uid of a prompt, so running this again imports nothing twice. A row that the import
    refuses keeps back no other. Raises what `import_path` raises.
    """
    items = [_item(started, row) for row in sample_without_item(started)]
    if not items:
        return 0
    report = import_made(
        project=started.project, way=WAY, made=Made(items, []), name=f"sampling-{started.pk}",
        actor=started.started_by, now=now, is_skipping_refused=True,
    )  # fmt: skip
    return report.imported


def _choose(project: Project, settings: SamplingSettings) -> Chosen[PoolPrompt]:
    faults = settings_faults(settings, count=(1, MOST_PROMPTS))
    if not settings.pool.strip():
        faults["pool"] = [_("Enter at least one prompt.")]
    if faults:
        raise SamplingJobInvalid(fields=faults)
    check_answers_prompts(settings.model)
    check_not_retired(settings.model)
    check_usable(settings.model.endpoint, project)
    return choose_prompts(project, settings.pool)


def _row(started: SamplingJob, prompt: PoolPrompt) -> PooledPrompt:
    return PooledPrompt(
        sampling_job=started, line=prompt.line, uid=prompt.uid, prompt=prompt.prompt,
        subject=prompt.subject,
    )  # fmt: skip


def _item(started: SamplingJob, row: PooledPrompt) -> MadeItem:
    """Return the item of a drawn prompt; its recipe says who scored it how, and how it was drawn."""
    spec, prompt = started.model_spec, started.prompt_template
    scores = ", ".join(f"{name} {score}" for name, score in row.scores.items())
    recipe = (
        f"{WAY} {VERSION}, seed {started.seed}, scored by {spec.name} r{spec.revision}, "
        f"prompt r{prompt.revision}: {scores}, topic {row.topic} by {Path(started.embedding_model).name}"
    )
    return MadeItem(row.uid, row.prompt, (), "", recipe, row.subject)
