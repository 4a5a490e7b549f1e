"""Finds which pairs a making job asks about, what it has spent, and what came of them."""

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
from annotation.enums import MadePairState
from annotation.making.known import Chosen, without_known
from annotation.making.pairs import Pair, read_pairs
from annotation.models import Item, MadePair, MakingCall, MakingJob
from endpoints.models import ModelSpec
from projects.models import Project


def choose_pairs(project: Project, text: str) -> Chosen[Pair]:
    """Return the pairs of a file whose item is not in the project yet."""
    return without_known(project, *read_pairs(text))


def estimate_making(project: Project, chosen: Chosen[Pair], spec: ModelSpec) -> Estimate:
    """Return what asking about the chosen pairs would take, by the last calls to the model."""
    calls = MakingCall.objects.filter(
        pair__making_job__project=project, pair__making_job__model_spec__name=spec.name
    )
    count = len(chosen.rows)
    return estimate([(spec, count, measured_tokens(calls))], items=count, hidden_count=0)


def pairs_without_item(started: MakingJob) -> QuerySet[MadePair]:
    """Return the made pairs of a job that the project has no item of."""
    items = Item.objects.filter(project=started.project, uid=OuterRef("uid"))
    rows = started.pairs.filter(~Exists(items), state=MadePairState.MADE)
    return rows.order_by("pk")


def failed_pairs(started: MakingJob) -> QuerySet[MadePair]:
    """Return the pairs that no item came of; order by pk."""
    return started.pairs.filter(state=FAILED)


def words_of(pair: MadePair) -> str:
    """Return why no item came of a pair, in the reader's language."""
    return reason_text(pair.reason, pair.data)


def totals_of(started: MakingJob) -> Totals:
    """Return calls, tokens and price of a job so far, in two queries."""
    rows = MakingCall.objects.filter(pair__making_job=started)
    return totals_from(rows, started.model_spec)


def results_json(started: MakingJob) -> dict[str, Any]:
    """Return what the API and the command print: the states of the pairs, calls, tokens and price."""
    return {"pairs": state_counts(started.pairs.all()), **totals_json(totals_of(started))}
