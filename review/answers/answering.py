"""What a person reads in a comparison or in a solving round, for the page and the API alike.

Of a solving round nothing here reads the key, the explanation or a finding: they are never loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.items.text_languages import language_of, source_language_of
from annotation.items.text_rows import ANSWER, Texts, label_of, text_in
from annotation.models import Item
from languages.letters import letter_of
from projects.criteria import Criterion
from review.answers.comparing import Candidate, candidates_for
from review.enums import RoundKind
from review.models import Answer, Assignment, Panel
from review.outcomes import FURTHER
from review.workbench.labels import RatingField, rating_field, typed_rating

_ITEM = ("item__uid", "item__question", "item__options")
_SUBJECT = ("item__subject__slug", "item__subject__name", "item__subject__category")
_FURTHER = ("item__kind", "item__answer", "item__explanation", "item__metadata")
_TEXT = ("revision__question", "revision__options")


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that can be chosen: its letter, the text and the text in the source language."""

    letter: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class ShownText:
    """The controls of one text of a comparison, with what was said of it before a refusal."""

    number: int
    ratings: Sequence[RatingField]
    approve: str
    rank: str


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One field of an item in the source and in each text of a comparison."""

    field: str
    source: str
    texts: Sequence[tuple[int, str]]
    is_key: bool = False
    is_further: bool = False

    @property
    def label(self) -> str:
        """What stands before the texts: the letter of an option, or a word."""
        return label_of(self.field)


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
    criteria: Sequence[Criterion],
    rubric: Mapping[str, Sequence[str]],
    typed: Mapping[str, str],
) -> list[ShownText]:
    """The controls for what is said of each text of a comparison."""
    return [
        ShownText(
            number=each.number,
            ratings=_rating_fields(each.number, criteria, rubric, typed),
            approve=typed.get(f"approve_{each.number}", ""),
            rank=typed.get(f"rank_{each.number}", ""),
        )
        for each in texts
    ]


def compared_rows(item: Item, texts: Sequence[Candidate]) -> list[ComparedRow]:
    """The item field by field, each beside what the texts have there."""
    count = max(len(item.options), *(len(each.options) for each in texts))
    options = [
        ComparedRow(
            field=f"options.{n}",
            source=_nth(item.options, n),
            texts=[(each.number, _nth(each.options, n)) for each in texts],
            is_key=item.key == letter_of(n),
        )
        for n in range(count)
    ]
    further = [
        ComparedRow(
            field=field,
            source=text_in(item, field),
            texts=[(each.number, text_in(each, field)) for each in texts],
            is_further=True,
        )
        for field in _fields_compared(item, texts)
    ]
    questions = [(each.number, each.question) for each in texts]
    question = ComparedRow(field="question", source=item.question, texts=questions)
    return [question, *options, *further]


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


def _fields_compared(item: Item, texts: Sequence[Candidate]) -> list[str]:
    """Which of answer and explanation the item or one of its texts has."""
    both: list[Texts] = [item, *texts]
    return [field for field in FURTHER if any(text_in(each, field) for each in both)]


def _nth(options: Sequence[str], place: int) -> str:
    return options[place] if place < len(options) else ""


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
    item, frame, project = panel.item, _frame(seat, panel), seat.round.project
    frame["item"]["kind"] = item.kind
    frame["source"] |= {
        "language": source_language_of(item, "question", project),
        "answer_language": source_language_of(item, ANSWER, project),
        "answer": item.answer,
        "explanation": item.explanation,
    }
    return frame | {
        "key": item.key,
        "token": shown.token,
        "language": language_of(item, "question", project),
        "answer_language": language_of(item, ANSWER, project),
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
