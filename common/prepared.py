"""Queries whose SQL is built once, for the few that run at every review.

Django builds the SQL of a query anew each time, which takes five to twenty times as long as SQLite
takes to answer one by its id. A prepared query is written with the ORM like any other, built at
its first call and run from then on with new values:

    @prepared(panel=int)
    def _judged_text(panel: Any) -> QuerySet[Panel]:
        return Panel.objects.select_related("revision").filter(pk=panel)

    rows = _judged_text(panel=7)

Only the values may differ from call to call: no branches, no `None`, no lists of ids. A word that is
the same in every call, such as a state, is written into the SQL: no database looks into a partial
index (`WHERE state = 'claimed'`) for a value that it learns only later.

PostgreSQL keeps them too: planning one takes it longer than answering it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import InsertQuery, UpdateQuery

M = TypeVar("M", bound=Model)
Update = tuple[QuerySet[Any], Mapping[str, Any]]

# Values that stand for the arguments while the SQL is built; nothing else in a query is like them.
_LARGE = 7_310_000_000_000_000_000
_LATE = datetime(9731, 3, 1, 4, 5, 6, 789, tzinfo=UTC)


class NotPreparable(Exception):
    """The query does not take each of its arguments as a plain value."""


def keeping_cursor(connection: BaseDatabaseWrapper) -> CursorWrapper:
    """A cursor whose statements PostgreSQL plans once and keeps for the connection.

    Django's own cursor writes the values into each statement, which is then a new one every time.
    The option `prepare_threshold` says how often a statement is planned before it is kept, and None
    that none is. On SQLite, which keeps its statements anyway, it is Django's own.
    """
    if connection.vendor != "postgresql":
        return connection.cursor()
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    with connection.wrap_database_errors:
        # As `cursor` does it, without the cursor that it would make for nothing.
        backend: Any = connection
        return cast(CursorWrapper, backend._prepare_cursor(backend.keeping_cursor()))  # noqa: SLF001


def prepared(**kinds: type) -> Callable[[Callable[..., QuerySet[M]]], "PreparedRows[M]"]:
    """Prepare a query of rows; `kinds` gives each argument's type: int, str or datetime."""
    return lambda build: PreparedRows(build, kinds)


def prepared_update(**kinds: type) -> Callable[[Callable[..., Update]], "PreparedUpdate"]:
    """Prepare an UPDATE: the function returns the rows and what to set on them."""
    return lambda build: PreparedUpdate(build, kinds)


@dataclass(frozen=True, slots=True)
class _Statement:
    """SQL with the name of the argument, or the constant, of each placeholder."""

    sql: str
    slots: Sequence[tuple[str | None, Any]]

    def values(self, connection: BaseDatabaseWrapper, given: Mapping[str, Any]) -> list[Any]:
        return [
            constant if name is None else _as_stored(connection, given[name])
            for name, constant in self.slots
        ]


@dataclass(frozen=True, slots=True)
class _RowReader:
    """How a row of the answer becomes an object: what Django's ModelIterable finds out each time."""

    statement: _Statement
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    model: type[Model]
    start: int
    end: int
    names: Sequence[str]
    related: Sequence[Any]
    annotations: Mapping[str, int]

    def read(self, row: Sequence[Any], connection: BaseDatabaseWrapper) -> Any:
        values = list(row)
        for column, converters, expression in self.converters:
            for convert in converters:
                values[column] = convert(values[column], expression, connection)
        found = self.model.from_db(connection.alias, self.names, values[self.start : self.end])
        for related in self.related:
            related.populate(values, found)
        for name, column in self.annotations.items():
            setattr(found, name, values[column])
        return found


class PreparedRows(Generic[M]):
    """A query of rows; calling it with the arguments by name returns the objects."""

    def __init__(self, build: Callable[..., QuerySet[M]], kinds: Mapping[str, type]) -> None:
        self._build, self._kinds = build, kinds
        self._readers: dict[str, _RowReader] = {}
        self.__doc__ = build.__doc__

    def __call__(self, **given: Any) -> list[M]:
        connection = connections[DEFAULT_DB_ALIAS]
        reader = self._readers.get(connection.vendor)
        if reader is None:
            reader = self._readers[connection.vendor] = self._reader(connection)
        with keeping_cursor(connection) as cursor:
            cursor.execute(reader.statement.sql, reader.statement.values(connection, given))
            rows = cursor.fetchall()
        return [reader.read(row, connection) for row in rows]

    def first(self, **given: Any) -> M | None:
        """The first row, or None."""
        return next(iter(self(**given)), None)

    def _reader(self, connection: BaseDatabaseWrapper) -> _RowReader:
        query = self._build(**_stand_ins(self._kinds)).query
        compiler = query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        select, info = compiler.select, compiler.klass_info
        if select is None or info is None:
            raise NotPreparable("The query returns no objects.")
        start, end = info["select_fields"][0], info["select_fields"][-1] + 1
        return _RowReader(
            statement=_statement(connection, sql, params, self._kinds),
            converters=[
                (column, converters, expression)
                for column, (converters, expression) in compiler.get_converters(
                    [each[0] for each in select]
                ).items()
            ],
            model=info["model"],
            start=start,
            end=end,
            names=[each[0].target.attname for each in select[start:end]],
            related=get_related_populators(info, select, connection.alias),  # type: ignore[call-arg]
            annotations=compiler.annotation_col_map or {},
        )


class PreparedUpdate:
    """An UPDATE; calling it with the arguments by name returns how many rows it changed."""

    def __init__(self, build: Callable[..., Update], kinds: Mapping[str, type]) -> None:
        self._build, self._kinds = build, kinds
        self._statements: dict[str, _Statement] = {}
        self.__doc__ = build.__doc__

    def __call__(self, **given: Any) -> int:
        connection = connections[DEFAULT_DB_ALIAS]
        statement = self._statements.get(connection.vendor)
        if statement is None:
            statement = self._statements[connection.vendor] = self._statement(connection)
        with keeping_cursor(connection) as cursor:
            cursor.execute(statement.sql, statement.values(connection, given))
            return int(cursor.rowcount)

    def _statement(self, connection: BaseDatabaseWrapper) -> _Statement:
        rows, changes = self._build(**_stand_ins(self._kinds))
        query = cast(UpdateQuery, rows.query.chain(UpdateQuery))
        query.add_update_values(dict(changes))
        sql, params = query.get_compiler(connection=connection).as_sql()
        return _statement(connection, sql, params, self._kinds)


@dataclass(frozen=True, slots=True)
class _Insert:
    """An INSERT of one row; `fields` are those whose values its placeholders take."""

    sql: str
    fields: Sequence[Any]


def insert_prepared(row: M) -> M:
    """Insert a new row as `save` does, by SQL that is built once for its model; it gets its id.

    A row in which a value is an expression, such as one that the database fills in, is saved.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    insert = _insert_of(type(row), connection.vendor)
    values = [
        field.get_db_prep_save(field.pre_save(row, add=True), connection=connection)
        for field in insert.fields
    ]
    if any(hasattr(value, "resolve_expression") for value in values):
        row.save(force_insert=True)
        return row
    with keeping_cursor(connection) as cursor:
        cursor.execute(insert.sql, values)
        row.pk = cursor.fetchone()[0]
    state = row._state  # noqa: SLF001  what `save` sets too
    state.adding, state.db = False, connection.alias
    return row


@cache
def _insert_of(model: type[Model], vendor: str) -> _Insert:
    """Every column but the id, which the database gives."""
    meta = model._meta
    fields = [field for field in meta.local_concrete_fields if not field.primary_key]
    query = InsertQuery(model)
    query.insert_values(fields, [model(**{field.attname: None for field in fields})], raw=True)
    compiler: Any = query.get_compiler(connection=connections[DEFAULT_DB_ALIAS])
    compiler.returning_fields = [meta.pk]
    [(sql, _values)] = compiler.as_sql()
    return _Insert(sql, fields)


def _stand_ins(kinds: Mapping[str, type]) -> dict[str, Any]:
    """A value for each argument by which its place in the SQL is known again."""
    return {name: _stand_in(kind, index) for index, (name, kind) in enumerate(kinds.items())}


def _stand_in(kind: type, index: int) -> Any:
    if kind is datetime:
        return _LATE + timedelta(days=index)
    return kind(_LARGE + index)


def _statement(
    connection: BaseDatabaseWrapper, sql: str, params: Sequence[Any], kinds: Mapping[str, type]
) -> _Statement:
    """Raises NotPreparable if an argument is found nowhere, or changed on its way into the SQL."""
    stand_ins = {n: _as_stored(connection, value) for n, value in _stand_ins(kinds).items()}
    slots = [
        (next((name for name, value in stand_ins.items() if value == param), None), param)
        for param in params
    ]
    missing = set(kinds) - {name for name, _param in slots}
    if missing:
        raise NotPreparable(f"Not found among the values of the query: {', '.join(missing)}.")
    return _with_words(sql, slots)


def _with_words(sql: str, slots: Sequence[tuple[str | None, Any]]) -> _Statement:
    """The statement with its constant words in the SQL; other constants stay values."""
    first, *rest = sql.split("%s")
    if len(rest) != len(slots):
        return _Statement(sql, slots)
    parts, kept = [first], []
    for (name, constant), after in zip(slots, rest, strict=True):
        is_word = name is None and isinstance(constant, str) and constant.isidentifier()
        parts += [f"'{constant}'" if is_word else "%s", after]
        kept += [] if is_word else [(name, constant)]
    return _Statement("".join(parts), kept)


def _as_stored(connection: BaseDatabaseWrapper, value: Any) -> Any:
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value
