"""Finds which prompts a sampling job asks about, what it has spent, and what came of them."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.asking.queries import (
    FAILED,
    Estimate,
    Totals,
    estimate,
    measured_tokens,
    reason_text,
    state_counts,
    totals_from,
    totals_json,
)
from annotation.making.from_pool.pool import PoolPrompt, read_pool
from annotation.making.known import Chosen, without_known
from annotation.models import Item, PooledPrompt, SamplingCall, SamplingJob
from endpoints.models import ModelSpec
from projects.models import Project


def choose_prompts(project: Project, text: str) -> Chosen[PoolPrompt]:
    """Return the prompts of a pool whose item is not in the project yet."""
    return without_known(project, *read_pool(text))


def estimate_sampling(project: Project, chosen: Chosen[PoolPrompt], spec: ModelSpec) -> Estimate:
    """Return what scoring the chosen prompts would take, by the last calls to the model."""
    calls = SamplingCall.objects.filter(
        pooled_prompt__sampling_job__project=project,
        pooled_prompt__sampling_job__model_spec__name=spec.name,
    )
    count = len(chosen.rows)
    return estimate([(spec, count, measured_tokens(calls))], items=count, hidden_count=0)


def sample_of(started: SamplingJob) -> QuerySet[PooledPrompt]:
    """Return the prompts that are drawn; order by place."""
    return started.prompts.filter(place__isnull=False)


def sample_without_item(started: SamplingJob) -> QuerySet[PooledPrompt]:
    """Return the drawn prompts of a job that the project has no item of, in their order."""
    items = Item.objects.filter(project=started.project, uid=OuterRef("uid"))
    return sample_of(started).filter(~Exists(items)).order_by("place")


def failed_prompts(started: SamplingJob) -> QuerySet[PooledPrompt]:
    """Return the prompts without scores; order by pk."""
    return started.prompts.filter(state=FAILED)


def words_of(row: PooledPrompt) -> str:
    """Return why a prompt has no scores, in the reader's language."""
    return reason_text(row.reason, row.data)


def totals_of(started: SamplingJob) -> Totals:
    """Return calls, tokens and price of a job so far, in two queries."""
    rows = SamplingCall.objects.filter(pooled_prompt__sampling_job=started)
    return totals_from(rows, started.model_spec)


def results_json(started: SamplingJob) -> dict[str, Any]:
    """Return what the API and the command print: states of the prompts, drawn ones, and what it took."""
    return {
        "prompts": state_counts(started.prompts.all()),
        "drawn": sample_of(started).count(),
        **totals_json(totals_of(started)),
    }
