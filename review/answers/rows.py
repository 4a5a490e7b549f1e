"""The answers of a comparison or of a solving round as plain rows, for the API and as files."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from common.csv_cells import csv_line, defuse
from projects.criteria import names_of
from review.answers.queries import answers_told
from review.enums import RoundKind
from review.models import Answer, Round

READ_AT_ONCE = 500
_ABOUT = ("id", "item", "reviewer", "comment", "active_seconds", "submitted_at")


def answer_row(answer: Answer) -> dict[str, Any]:
    """One answer: in a solving round with its choice, in a comparison with each text's ratings."""
    row: dict[str, Any] = {
        "id": answer.pk,
        "item": answer.panel.item.uid,
        "reviewer": answer.reviewer.email,
        "comment": answer.comment,
        "active_seconds": answer.active_seconds,
        "submitted_at": answer.submitted_at.isoformat(),
    }
    texts = [_text_row(text) for text in answer.texts.all()]
    return row | ({"texts": texts} if texts else {"choice": answer.choice or None})


def _text_row(text: Any) -> dict[str, Any]:
    return {
        "system": text.revision.translation.system,
        "revision": text.revision_id,
        "place": text.place,
        "is_approved": text.is_approved,
        "ratings": text.ratings,
        "rank": text.rank,
    }


def answers_of(round_: Round) -> QuerySet[Answer]:
    """The answers of a round with all that `answer_row` reads."""
    return answers_told(round_).prefetch_related("texts__revision__translation")


def answer_rows(round_: Round) -> Iterator[dict[str, Any]]:
    """Every answer in the order of items, a few queries for each READ_AT_ONCE."""
    for answer in answers_of(round_).iterator(READ_AT_ONCE):
        yield answer_row(answer)


def answers_jsonl(round_: Round) -> Iterator[str]:
    for row in answer_rows(round_):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def answers_csv(round_: Round) -> Iterator[str]:
    """One line for each answer, in a comparison one for each text of it."""
    is_comparison = round_.kind == RoundKind.COMPARISON
    names = names_of(round_.project.criteria)
    of_text = ("system", "revision", "place", "is_approved", *names, "rank")
    yield _line([*_ABOUT, *(of_text if is_comparison else ["choice"])])
    for row in answer_rows(round_):
        about = [row[name] for name in _ABOUT]
        if not is_comparison:
            yield _line([*about, row["choice"]])
        for text in row.get("texts", ()):
            flat = {**text, **text["ratings"]}
            yield _line([*about, *(flat[name] for name in of_text)])


def _line(values: Sequence[Any]) -> str:
    cells = ["" if value is None else str(defuse(value)) for value in values]
    return csv_line(cells) + "\r\n"


ANSWER_FORMATS: Mapping[str, tuple[Callable[[Round], Iterator[str]], str]] = {
    "csv": (answers_csv, "text/csv"),
    "jsonl": (answers_jsonl, "application/jsonl"),
}
"""Format → how it is written, and its media type."""
