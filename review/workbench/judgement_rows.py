"""Judgements as plain rows, for lists and exports: read as values, never as model instances."""

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from json.encoder import encode_basestring as _text
from typing import Any

from django.db.models import Func, QuerySet, TextField
from django.db.models.functions import Cast

from common.csv_cells import csv_line, defuse, quoted
from common.db import UtcText
from common.downloads import BOM
from projects.criteria import DEFAULT_NAMES
from review.models import Judgement, Round

FIELDS = (
    "pk",
    "panel__item__uid",
    "panel__round_id",
    "revision_id",
    "reviewer__email",
    "verdict",
    "ratings_text",
    "tags_text",
    "comment",
    "correction_text",
    "active_seconds",
    "revealed_after",
    "submitted_at_text",
    "numbers_confirmed",
)
ROW_NAMES = (
    "id",
    "item",
    "round",
    "revision",
    "reviewer",
    "verdict",
    "ratings",
    "tags",
    "comment",
    "correction",
    "active_seconds",
    "revealed_after",
    "submitted_at",
    "numbers_confirmed",
)
RATINGS = ROW_NAMES.index("ratings")
READ_AT_ONCE = 2_000
LINES_A_PIECE = 500


Values = tuple[Any, ...]
Names = tuple[str, ...]


def judgement_values(judgements: QuerySet[Judgement]) -> QuerySet[Judgement, dict[str, Any]]:
    """The columns that `as_row` needs, in the order of the ids; JSON and times as texts."""
    texts: dict[str, Func] = {
        f"{name}_text": Cast(name, TextField()) for name in ("ratings", "tags", "correction")
    }
    texts["submitted_at_text"] = UtcText("submitted_at")
    rows: QuerySet[Judgement, dict[str, Any]] = (
        judgements.order_by("pk").annotate(**texts).values(*FIELDS)
    )
    return rows


def as_row(values: Iterable[Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """One judgement as the API gives it, from the values of FIELDS in their order.

    `numbers` maps the ids of rounds to their numbers.
    """
    row: dict[str, Any] = dict(zip(ROW_NAMES, values, strict=True))
    row["round"] = numbers[row["round"]]
    for name in ("ratings", "tags", "correction"):
        row[name] = None if row[name] is None else json.loads(row[name])
    row["submitted_at"] = _iso(row["submitted_at"])
    return row


def round_numbers(rounds: QuerySet[Round]) -> dict[int, int]:
    return dict(rounds.values_list("pk", "number"))


def csv_columns(names: Names) -> tuple[str, ...]:
    """The headings of a table with a column for each criterion in the place of the ratings."""
    return (*ROW_NAMES[:RATINGS], *names, *ROW_NAMES[RATINGS + 1 :])


def jsonl(
    judgements: QuerySet[Judgement], numbers: Mapping[int, int], _names: Names = DEFAULT_NAMES
) -> Iterator[str]:
    """One JSON object a line, as `as_row` makes it, in pieces of many lines."""
    return _pieces(_json_line(values, numbers) for values in _rows(judgements))


def csv(
    judgements: QuerySet[Judgement], numbers: Mapping[int, int], names: Names = DEFAULT_NAMES
) -> Iterator[str]:
    """A table with a column for each of the criteria `names`.

    Tags and correction are JSON in their cells.
    """
    lines = (_csv_line(values, numbers, names) for values in _rows(judgements))
    return _pieces(chain([f"{BOM}{csv_line(csv_columns(names))}\r\n"], lines))


FORMATS = {"jsonl": (jsonl, "application/jsonl"), "csv": (csv, "text/csv")}


def _rows(judgements: QuerySet[Judgement]) -> Iterator[Values]:
    """The ids first, then the rows page by page, so that memory stays flat.

    Only ids are sorted: SQLite sorts in memory, and would hold every comment and correction there
    until the last row is sent. What is judged meanwhile is not in the export.
    """
    ids = array("q", judgements.order_by("pk").values_list("pk", flat=True).iterator(READ_AT_ONCE))
    for start in range(0, len(ids), READ_AT_ONCE):
        page = Judgement.with_controls.filter(pk__among=ids[start : start + READ_AT_ONCE])
        yield from judgement_values(page).values_list(*FIELDS)


def _json_line(values: Values, numbers: Mapping[int, int]) -> str:
    """Put together from texts: a dict of them would cost twice as much."""
    (
        pk, item, round_, revision, reviewer, verdict, ratings, tags, comment, correction,
        seconds, revealed_after, submitted_at, confirmed,
    ) = values  # fmt: skip
    return (
        f'{{"id": {pk}, "item": {_text(item)}, "round": {numbers[round_]}, '
        f'"revision": {revision}, "reviewer": {_text(reviewer)}, "verdict": "{verdict}", '
        f'"ratings": {_json(ratings)}, "tags": {_json(tags)}, "comment": {_text(comment)}, '
        f'"correction": {_json(correction)}, "active_seconds": {seconds}, '
        f'"revealed_after": {"null" if revealed_after is None else revealed_after}, '
        f'"submitted_at": "{_iso(submitted_at)}", "numbers_confirmed": {_boolean(confirmed)}}}\n'
    )


def _csv_line(values: Values, numbers: Mapping[int, int], names: Names) -> str:
    (
        pk, item, round_, revision, reviewer, verdict, ratings, tags, comment, correction,
        seconds, revealed_after, submitted_at, confirmed,
    ) = values  # fmt: skip
    return (
        f"{pk},{_cell(item)},{numbers[round_]},{revision},{_cell(reviewer)},{verdict},"
        f"{_rating_cells(ratings, names)},{_tags_cell(tags)},{_cell(comment)},"
        f"{_cell(_json(correction)) if correction else ''},{seconds},"
        f"{'' if revealed_after is None else revealed_after},{_iso(submitted_at)},{_boolean(confirmed)}\r\n"
    )


def _json(text: str | None) -> str:
    """Stored JSON with its letters as they are; "null" if there is none."""
    if text is None:
        return "null"
    return json.dumps(json.loads(text), ensure_ascii=False) if "\\" in text else text


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _iso(text: str) -> str:
    return f"{text.removesuffix('.000000').replace(' ', 'T')}Z"


def _cell(text: str) -> str:
    return quoted(defuse(text))


@lru_cache(maxsize=4096)
def _rating_cells(text: str, names: Names) -> str:
    ratings = json.loads(text)
    return ",".join(str(ratings[name]) for name in names)


@lru_cache(maxsize=4096)
def _tags_cell(text: str) -> str:
    return _cell(_json(text))


def _pieces(lines: Iterable[str]) -> Iterator[str]:
    """A web server sends every piece by itself, so a line each would cost more than its making."""
    source = iter(lines)
    while piece := "".join(islice(source, LINES_A_PIECE)):
        yield piece
