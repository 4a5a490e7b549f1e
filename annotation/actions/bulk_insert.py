"""Many rows into one table by plain values: a model instance a row costs more than its insert."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection
from django.db.models import JSONField, Model

ROWS_PER_STATEMENT = 500


def insert_rows(
    model: type[Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    constants: dict[str, Any],
) -> list[int]:
    """Insert `rows` of the fields `columns`, each with `constants`; return their ids in order.

    Every column without a value in the database is named; the caller holds the transaction.
    Raises IntegrityError where a constraint is broken.
    """
    names = [*columns, *constants]
    fields = [model._meta.get_field(name) for name in names]
    fixed = [
        _prepared(f, v) for f, v in zip(fields[len(columns) :], constants.values(), strict=True)
    ]
    json_at = [n for n, f in enumerate(fields[: len(columns)]) if isinstance(f, JSONField)]
    ids: list[int] = []
    with connection.cursor() as cursor:
        for batch in _batches(rows, len(names)):
            parameters = [value for row in batch for value in (*_encoded(row, json_at), *fixed)]
            cursor.execute(_statement(model, fields, len(batch)), parameters)
            ids += [pk for (pk,) in cursor.fetchall()]
    return ids


def _prepared(field: Any, value: Any) -> Any:
    """One value as the database takes it."""
    if isinstance(field, JSONField):
        return json.dumps(value)
    return field.get_db_prep_save(value, connection)


def _encoded(row: Sequence[Any], json_at: Sequence[int]) -> Sequence[Any]:
    if not json_at:
        return row
    values = list(row)
    for n in json_at:
        values[n] = json.dumps(values[n])
    return values


def _statement(model: type[Model], fields: Sequence[Any], count: int) -> str:
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    table, pk = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    rows = ", ".join([row] * count)
    return f"INSERT INTO {table} ({columns}) VALUES {rows} RETURNING {pk}"  # noqa: S608


def _batches(rows: Sequence[Any], width: int) -> Iterator[Sequence[Any]]:
    limit = connection.features.max_query_params or ROWS_PER_STATEMENT * width
    size = max(1, min(ROWS_PER_STATEMENT, limit // width))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
