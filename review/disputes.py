"""What a senior sees of a dispute: the texts, the judgements without names, and the reasons."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.diffs import Segment, diff
from annotation.items.text_rows import TextRow
from review.criteria import CRITERIA
from review.enums import ErrorTag
from review.labels import ReasonText, reason_text, short_label
from review.models import Judgement, Panel
from review.outcomes import Correction
from review.workbench import panel_rows


@dataclass(frozen=True, slots=True)
class CardField:
    """One text of a judgement beside the current one; no diff where it is unchanged."""

    label: str
    field: str
    diff: Sequence[Segment]
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """One judgement without a name; `judgement` is its id and `ratings` pairs label and number."""

    judgement: int
    verdict: str
    ratings: Sequence[tuple[str, int]]
    tags: Sequence[str]
    comment: str
    fields: Sequence[CardField]


def text_rows(panel: Panel, typed: Mapping[str, str] | None = None) -> list[TextRow]:
    """The rows of the current text, with what the senior typed."""
    rows = panel_rows(panel)
    return [replace(row, edited_text=(typed or {}).get(row.input_name)) for row in rows]


def cards(panel: Panel, judgements: Sequence[Judgement]) -> list[Card]:
    """A card for each judgement, in an order that does not tell who came first."""
    rows = panel_rows(panel)
    return [_card(judgement, rows) for judgement in shuffled(panel, judgements)]


def shuffled(panel: Panel, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements in an order that is random but the same each time the dispute is read."""
    found = sorted(judgements, key=lambda judgement: judgement.pk)
    random.Random(panel.pk).shuffle(found)  # hides who came first, no secret
    return found


def reasons(panel: Panel) -> list[ReasonText]:
    return [reason_text(reason) for reason in panel.reasons]


def _card(judgement: Judgement, rows: Sequence[TextRow]) -> Card:
    return Card(
        judgement=judgement.pk,
        verdict=judgement.verdict,
        ratings=[(short_label(each), judgement.ratings[each.name]) for each in CRITERIA],
        tags=[str(ErrorTag(tag).label) for tag in judgement.tags],
        comment=judgement.comment,
        fields=[_field(row, new) for row, new in zip(rows, _texts(judgement, rows), strict=True)],
    )


def _texts(judgement: Judgement, rows: Sequence[TextRow]) -> list[str]:
    if judgement.correction is None:
        return [row.target_text for row in rows]
    correction = Correction.from_json(judgement.correction)
    return [correction.question, *correction.options]


def _field(row: TextRow, new: str) -> CardField:
    changed = diff(row.target_text, new) if new != row.target_text else ()
    return CardField(label=row.label, field=row.field, diff=changed, text=new)
