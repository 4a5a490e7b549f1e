"""What a senior sees of one dispute: the texts, the judgements without names, and why."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.diffs import Segment, diff
from review.actions.adjudication import correction_of
from review.enums import ErrorTag, Verdict
from review.models import Judgement, Panel
from review.words import ReasonText, reason_text
from review.workbench import Row, rows_of, shown_findings


@dataclass(frozen=True, slots=True)
class CardField:
    """One text of a judgement beside the current one; no diff where it is unchanged."""

    label: str
    field: str
    diff: Sequence[Segment]
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """One judgement, anonymous; `judgement` is its id."""

    judgement: int
    verdict: str
    domain: int
    cultural: int
    tags: Sequence[str]
    comment: str
    fields: Sequence[CardField]


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row of the current text, with what the senior typed."""

    label: str
    field: str
    source_text: str
    current_text: str
    is_key: bool
    edited_text: str | None


def text_rows(panel: Panel, typed: dict[str, str] | None = None) -> list[TextRow]:
    return [
        TextRow(
            label=row.label,
            field=row.field,
            source_text=row.source_text,
            current_text=row.target_text,
            is_key=row.is_key,
            edited_text=(typed or {}).get(row.input_name),
        )
        for row in _rows(panel)
    ]


def cards(panel: Panel, judgements: Sequence[Judgement]) -> list[Card]:
    """A card for each judgement, in an order that does not tell who came first."""
    rows = _rows(panel)
    return [_card(judgement, rows) for judgement in shuffled(panel, judgements)]


def shuffled(panel: Panel, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements in an order that is random but the same each time the dispute is read."""
    found = sorted(judgements, key=lambda judgement: judgement.pk)
    random.Random(panel.pk).shuffle(found)  # hides who came first, no secret
    return found


def reasons(panel: Panel) -> list[ReasonText]:
    return [reason_text(reason) for reason in panel.reasons]


def _rows(panel: Panel) -> list[Row]:
    return rows_of(panel.item, panel.revision, shown_findings(panel.revision))


def _card(judgement: Judgement, rows: Sequence[Row]) -> Card:
    return Card(
        judgement=judgement.pk,
        verdict=judgement.verdict,
        domain=judgement.domain,
        cultural=judgement.cultural,
        tags=[str(ErrorTag(tag).label) for tag in judgement.tags],
        comment=judgement.comment,
        fields=[_field(row, new) for row, new in zip(rows, _texts(judgement, rows), strict=True)],
    )


def _texts(judgement: Judgement, rows: Sequence[Row]) -> list[str]:
    if judgement.verdict != Verdict.REVISE:
        return [row.target_text for row in rows]
    correction = correction_of(judgement)
    return [correction.question, *correction.options]


def _field(row: Row, new: str) -> CardField:
    changed = diff(row.target_text, new) if new != row.target_text else ()
    return CardField(label=row.label, field=row.field, diff=changed, text=new)
