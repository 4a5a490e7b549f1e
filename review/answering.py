"""What a person reads in a comparison or in a solving round, for the page and the API alike.

Of a solving round nothing here reads the key, the explanation or a finding: they are never loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.items.text_rows import Texts, label_of, text_in
from annotation.models import Item
from languages.letters import letter_of
from projects.criteria import Criterion
from review.comparing import Candidate, candidates_for
from review.enums import RoundKind
from review.labels import RatingField, rating_field, typed_rating
from review.models import Answer, Assignment, Panel
from review.outcomes import FURTHER

_ITEM = ("item__uid", "item__question", "item__options")
_SUBJECT = ("item__subject__slug", "item__subject__name", "item__subject__category")
_FURTHER = ("item__kind", "item__answer", "item__explanation")
_TEXT = ("revision__question", "revision__options")


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that can be chosen: its letter, the text and the text in the source language."""

    letter: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class ShownText:
    """One text of a comparison with its options by letter and what was said of it before a refusal."""

    number: int
    question: str
    options: Sequence[tuple[str, str]]
    further: Sequence[tuple[str, str]]
    ratings: Sequence[RatingField]
    approve: str
    rank: str


def panel_to_solve(seat: Assignment) -> Panel:
    """The seat's panel with the item, which has no key."""
    rows = Panel.objects.select_related("item__subject", "revision").only(
        "round_id", "item_id", "revision_id", *_ITEM, *_SUBJECT, *_TEXT
    )
    return rows.get(pk=seat.panel_id)


def panel_to_compare(seat: Assignment) -> Panel:
    """The seat's panel with the item and its key."""
    rows = Panel.objects.select_related("item__subject").only(
        "round_id", "item_id", "revision_id", *_ITEM, *_SUBJECT, "item__key", *_FURTHER
    )
    return rows.get(pk=seat.panel_id)


def choices_of(panel: Panel) -> list[Choice]:
    """The options of the item by letter, in the text that the round is about."""
    texts = list(panel.revision.options)
    return [
        Choice(letter_of(n), texts[n] if n < len(texts) else "", source)
        for n, source in enumerate(panel.item.options)
    ]


def shown_texts(
    texts: Sequence[Candidate],
    further: Sequence[str],
    criteria: Sequence[Criterion],
    rubric: Mapping[str, Sequence[str]],
    typed: Mapping[str, str],
) -> list[ShownText]:
    """The texts of a comparison, with the controls for what is said of each."""
    return [
        ShownText(
            number=each.number,
            question=each.question,
            options=[(letter_of(n), text) for n, text in enumerate(each.options)],
            further=further_texts(each, further),
            ratings=_rating_fields(each.number, criteria, rubric, typed),
            approve=typed.get(f"approve_{each.number}", ""),
            rank=typed.get(f"rank_{each.number}", ""),
        )
        for each in texts
    ]


def fields_compared(item: Item, texts: Sequence[Candidate]) -> list[str]:
    """Which of answer and explanation the item or one of its texts has."""
    both: list[Texts] = [item, *texts]
    return [field for field in FURTHER if any(text_in(each, field) for each in both)]


def further_texts(text: Texts, fields: Sequence[str]) -> list[tuple[str, str]]:
    """The name and the text of each of these fields; '' where it has none."""
    return [(label_of(field), text_in(text, field)) for field in fields]


def seat_json(seat: Assignment) -> dict[str, Any]:
    """The body of a claim: the seat and what it asks."""
    is_solving = seat.round.kind == RoundKind.SOLVING
    return _solving_json(seat) if is_solving else _comparison_json(seat)


def typed_values(answer: Answer) -> dict[str, str]:
    """What was given in an answer that was taken back, by the names of the form's fields."""
    values = {"comment": answer.comment, "choice": answer.choice or "unsure"}
    values["active_seconds"] = str(answer.active_seconds)
    for text in answer.texts.order_by("pk"):
        number = text.place + 1
        values[f"approve_{number}"] = "yes" if text.is_approved else "no"
        values[f"rank_{number}"] = str(text.rank or "")
        values |= {f"{name}_{number}": str(text.ratings[name]) for name in text.ratings}
    return values


def _rating_fields(
    number: int,
    criteria: Sequence[Criterion],
    rubric: Mapping[str, Sequence[str]],
    typed: Mapping[str, str],
) -> list[RatingField]:
    """As `labels.rating_fields`, with the number of the text in the names."""
    return [
        rating_field(each, name, rubric, typed_rating(typed.get(name, "")))
        for each in criteria
        for name in [f"{each.name}_{number}"]
    ]


def _frame(seat: Assignment, panel: Panel) -> dict[str, Any]:
    item = panel.item
    return {
        "assignment": seat.pk,
        "expires_at": seat.expires_at,
        "round": seat.round_id,
        "kind": seat.round.kind,
        "item": {
            "id": item.pk,
            "uid": item.uid,
            "subject": item.subject.slug,
            "category": item.subject.category,
            "option_count": len(item.options),
        },
        "source": {
            "language": seat.round.project.source_language,
            "question": item.question,
            "options": item.options,
        },
    }


def _solving_json(seat: Assignment) -> dict[str, Any]:
    panel = panel_to_solve(seat)
    return _frame(seat, panel) | {
        "text": {
            "language": seat.round.project.target_language,
            "question": panel.revision.question,
            "options": [each.text for each in choices_of(panel)],
        }
    }


def _comparison_json(seat: Assignment) -> dict[str, Any]:
    panel = panel_to_compare(seat)
    shown = candidates_for(panel, seat.round, seat.reviewer_id or 0)
    item, frame = panel.item, _frame(seat, panel)
    frame["item"]["kind"] = item.kind
    frame["source"] |= {"answer": item.answer, "explanation": item.explanation}
    return frame | {
        "key": item.key,
        "token": shown.token,
        "language": seat.round.project.target_language,
        "texts": [
            {
                "number": each.number,
                "question": each.question,
                "options": each.options,
                "answer": each.answer,
                "explanation": each.explanation,
            }
            for each in shown.texts
        ],
    }
