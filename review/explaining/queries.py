"""Finds which texts an explanation job asks about, what it has spent, and what came of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.asking.queries import (
    FAILED,
    Estimate,
    Selection,
    Totals,
    allowed_items,
    estimate,
    measured_tokens,
    reason_text,
    selected_items,
    state_counts,
    totals_from,
    totals_json,
)
from annotation.enums import ItemKind, TranslationState
from annotation.models import Revision
from endpoints.models import ModelSpec
from endpoints.providers.base import Message
from projects.models import Project
from review.enums import PanelState
from review.explaining.prompting import ask_to_explain
from review.models import ExplainedItem, ExplanationCall, ExplanationJob, Panel

UNDECIDED = (PanelState.JUDGING, PanelState.DISPUTED)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The items that a job would ask about, each with its text.

    `hidden_count` hidden items are left out, and `without_text` that have no text of the project's system.
    """

    texts: Sequence[tuple[int, int]]
    hidden_count: int
    without_text: int


def choose_texts(project: Project, selection: Selection, spec: ModelSpec) -> Chosen:
    """Return the texts of a selection that may be explained.

    They are current, of items with options, wait for review, are in no open panel, and have no
    explanation.
    """
    panels = Panel.objects.filter(item=OuterRef("pk"), state__in=UNDECIDED)
    with_options = selected_items(project, selection).filter(kind=ItemKind.CHOICE)
    rows = with_options.filter(
        ~Exists(panels),
        working_translation__state=TranslationState.PENDING,
        working_translation__current_revision__explanation="",
    )
    found = dict(
        rows.order_by("uid_order", "pk").values_list("pk", "working_translation__current_revision")
    )
    wanted, hidden_count = allowed_items(project, [*found], [spec], selection.limit)
    without_text = with_options.filter(working_translation__current_revision=None).count()
    return Chosen([(pk, found[pk]) for pk in wanted], hidden_count, without_text)


def estimate_explaining(project: Project, chosen: Chosen, spec: ModelSpec) -> Estimate:
    """Return what asking about the chosen texts would take, by the last calls to the model."""
    calls = ExplanationCall.objects.filter(
        explained__explanation_job__project=project,
        explained__explanation_job__model_spec__name=spec.name,
    )
    count = len(chosen.texts)
    parts = [(spec, count, measured_tokens(calls))]
    found = estimate(parts, items=count, hidden_count=chosen.hidden_count)
    return replace(found, without_text=chosen.without_text)


def preview_of(project: Project, frame: str) -> Sequence[Message]:
    """Return the messages about the first item that can be explained, as they would be sent."""
    texts = Revision.objects.filter(
        translation__item__project=project, translation__item__kind=ItemKind.CHOICE,
        pk=F("translation__current_revision"),
    ).order_by("translation__item__uid_order", "pk")  # fmt: skip
    text = texts.first()
    if text is None:
        return ()
    return ask_to_explain(frame, question=text.question, options=text.options).messages


def failed_items(started: ExplanationJob) -> QuerySet[ExplainedItem]:
    """Return the items that got no explanation; order by pk."""
    return started.items.filter(state=FAILED).select_related("item")


def words_of(row: ExplainedItem) -> str:
    """Return why an item got no explanation, in the reader's language."""
    return reason_text(row.reason, row.data)


def totals_of(started: ExplanationJob) -> Totals:
    """Return calls, tokens and price of a job so far, in two queries."""
    rows = ExplanationCall.objects.filter(explained__explanation_job=started)
    return totals_from(rows, started.model_spec)


def results_json(started: ExplanationJob) -> dict[str, Any]:
    """Return what the API and the command print: the states of the items, calls, tokens and price."""
    return {"items": state_counts(started.items.all()), **totals_json(totals_of(started))}
