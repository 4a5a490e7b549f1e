"""What the two databases do differently: state moves, consistent reads, lists of ids, columns and JSON."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import (
    Aggregate,
    BigAutoField,
    Func,
    IntegerField,
    Lookup,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.functions import Cast

from common.errors import DomainError

LARGEST_ID = 2**62


def bounded_pk(pk: int) -> int:
    """Return an id from an address, or one that no row has if it is too large for the database.

    Django itself finds nothing for such a `pk=…`. In a lookup across a relation and in SQL of our
    own, SQLite raises OverflowError where a 404 is the answer.
    """
    return min(pk, LARGEST_ID)


def sources_of(target: str, transitions: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the states from which `target` may be reached, in the table's order."""
    return [str(state) for state, targets in transitions.items() if target in targets]


def move(
    rows: QuerySet[Any],
    *,
    to: str,
    transitions: Mapping[str, frozenset[str]],
    refusal: type[DomainError],
    **changes: Any,
) -> int:
    """Move `rows` to state `to` with `changes`, in one UPDATE; return how many moved.

    Only rows in a state from which the table allows the move take part, so of two callers at
    once one wins. Raises `refusal` when none was left to move. (SQLite ignores row locks; this
    holds there too.)
    """
    moved = rows.filter(state__in=sources_of(to, transitions)).update(state=to, **changes)
    if not moved:
        raise refusal()
    return moved


@contextmanager
def consistent_transaction() -> Iterator[None]:
    """A transaction in which every query sees the database as it was when the first one ran.

    PostgreSQL gives each statement its own view of the data unless it is asked for REPEATABLE
    READ. On SQLite the transaction holds the write lock from its beginning, so nothing can change.
    Inside another transaction this is a savepoint, and only as consistent as that transaction.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@BigAutoField.register_lookup
class AmongIds(Lookup):
    """`pk__among=ids`: as `pk__in`, but thousands of ids are one parameter.

    With a placeholder for each, Django and the driver of PostgreSQL need longer to write the
    query than the database to answer it.
    """

    lookup_name = "among"
    prepare_rhs = False

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, parameters = self.process_lhs(compiler, connection)
        ids = f"[{','.join(map(str, self.rhs))}]"
        return f"{column} IN (SELECT value FROM json_each(%s))", [*parameters, ids]  # noqa: S608

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, parameters = self.process_lhs(compiler, connection)
        ids = f"{{{','.join(map(str, self.rhs))}}}"
        return f"{column} = ANY(%s::bigint[])", [*parameters, ids]


class UtcText(Func):
    """A time as text, `2026-11-20 12:00:00` with fractions of a second: reading many is slow."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """SQLite keeps times as such texts."""
        return self.as_sql(compiler, connection, template="CAST(%(expressions)s AS text)")

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
        return self.as_sql(compiler, connection, template=template)


class UtcMonth(Func):
    """The month of a time in UTC as text that `common.months.parse_month` reads, such as `2026-11`.

    Django's truncation of times calls Python for each row on SQLite, and a year has many rows.
    """

    output_field = TextField()
    length, pattern = len("2026-11"), "YYYY-MM"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = f"substr(%(expressions)s, 1, {self.length})"
        return self.as_sql(compiler, connection, template=template)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = f"to_char(%(expressions)s AT TIME ZONE 'UTC', '{self.pattern}')"
        return self.as_sql(compiler, connection, template=template)


class UtcDay(UtcMonth):
    """The day of a time in UTC as text, such as `2026-11-20`."""

    length, pattern = len("2026-11-20"), "YYYY-MM-DD"


class Lines(Aggregate):
    """The values of a column in one text, a line each; None where there are none.

    All such columns of a query have their values in the same order. Reading a row for each value
    takes several times as long. Values hold no line breaks, and those that are null are left out.
    """

    output_field = TextField()

    def __init__(self, values: Any, **extra: Any) -> None:
        super().__init__(Cast(values, TextField()), Value("\n"), **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="group_concat", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="string_agg", **context)


class JsonLength(Func):
    """How many elements a JSON list has."""

    output_field = IntegerField()

    def get_db_converters(self, connection: Any) -> list[Any]:
        """None: both databases give whole numbers, and Django would look at each once more."""
        return []

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="jsonb_array_length", **context)


class SameJson(Func):
    """JSON in the one form that can be compared with JSON of another column.

    PostgreSQL compares what JSON says; SQLite compares its letters, blanks and all.
    """

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="json", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(%(expressions)s AS text)"
        return self.as_sql(compiler, connection, template=template, **context)
