"""Inserts many rows of plain values: building a model instance a row costs more than its insert."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import JSONField, Model

ROWS_PER_STATEMENT = 500
_encode = json.JSONEncoder(ensure_ascii=False).encode


def draw_ids(model: type[Model], count: int) -> Sequence[int]:
    """Take `count` new ids of a table, so that rows which point to each other need no update.

    The caller holds a transaction that writes: on SQLite it is the write lock that keeps others
    from taking the same ids.
    """
    if not count:
        return ()
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # The sequence is looked up once: for each row, that takes longer than all the rest.
            cursor.execute(
                """
                WITH known AS MATERIALIZED (SELECT pg_get_serial_sequence(%s, %s)::regclass AS id)
                SELECT nextval(known.id) FROM known, generate_series(1, %s)
                """,
                [connection.ops.quote_name(table), model._meta.pk.column, count],
            )
            return [pk for (pk,) in cursor.fetchall()]
        # SQLite notes the highest id that a table ever had, and follows ids that are given.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
    first = (row[0] if row else 0) + 1
    return range(first, first + count)


def insert_rows(
    model: type[Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    constants: dict[str, Any],
    *,
    is_indexed_by_triggers: bool = False,
) -> None:
    """Insert `rows` of the fields `columns`, each with `constants`; the caller holds a transaction.

    Name every column that has no default in the database. Raises IntegrityError where a
    constraint is broken.

    On SQLite, one prepared statement for all rows is quicker than one long statement, but not
    where a trigger writes each row to a full-text index: at the end of every statement with a
    trigger, the index is written out, and that takes longer than all the rest.
    """
    names = [*columns, *constants]
    fields = [model._meta.get_field(name) for name in names]
    fixed = [
        _prepared(f, v) for f, v in zip(fields[len(columns) :], constants.values(), strict=True)
    ]
    json_at = [n for n, f in enumerate(fields[: len(columns)]) if isinstance(f, JSONField)]
    values = ((*_encoded(row, json_at), *fixed) for row in rows)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, model, fields, values)
        elif is_indexed_by_triggers:
            _insert_together(cursor, model, fields, list(values))
        else:
            cursor.executemany(_statement(model, fields, 1), list(values))


def _copy(cursor: Any, model: type[Model], fields: Sequence[Any], rows: Iterable[Any]) -> None:
    """Send rows to PostgreSQL as COPY does: it has no statement to read and no plan to make."""
    sql = f"COPY {_table_and_columns(model, fields)} FROM STDIN"
    with connection.wrap_database_errors, cursor.copy(sql) as copy:
        for row in rows:
            copy.write_row(row)


def _insert_together(
    cursor: Any, model: type[Model], fields: Sequence[Any], rows: Sequence[Any]
) -> None:
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        some = rows[start : start + ROWS_PER_STATEMENT]
        parameters = [value for row in some for value in row]
        cursor.execute(_statement(model, fields, len(some)), parameters)


def insert_new_rows(
    model: type[Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    constants: dict[str, Any],
) -> Sequence[int]:
    """Insert `rows` as `insert_rows` does, with new ids; return these in the order of the rows."""
    ids = draw_ids(model, len(rows))
    numbered = [(pk, *row) for pk, row in zip(ids, rows, strict=True)]
    insert_rows(model, ("id", *columns), numbered, constants)
    return ids


def _prepared(field: Any, value: Any) -> Any:
    """One value as the database takes it."""
    if isinstance(field, JSONField):
        return _encode(value)
    return field.get_db_prep_save(value, connection)


def _encoded(row: Sequence[Any], json_at: Sequence[int]) -> Sequence[Any]:
    if not json_at:
        return row
    values = list(row)
    for n in json_at:
        values[n] = _encode(values[n])
    return values


def _statement(model: type[Model], fields: Sequence[Any], count: int) -> str:
    row = f"({', '.join(['%s'] * len(fields))})"
    rows = ", ".join([row] * count)
    return f"INSERT INTO {_table_and_columns(model, fields)} VALUES {rows}"  # noqa: S608


def _table_and_columns(model: type[Model], fields: Sequence[Any]) -> str:
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    return f"{quote(model._meta.db_table)} ({columns})"
