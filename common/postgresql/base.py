"""Django's backend of PostgreSQL: connections are checked without a query, and some plans are kept."""

import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection, Cursor
from psycopg.pq import TransactionStatus


class KeepingCursor(base.CursorMixin, Cursor[Any]):
    """A cursor whose statements the server keeps once they came more than `threshold` times.

    Only while it executes does psycopg count: of all others it would remember the last hundred, with
    the values that Django writes into them, and a hundred bulk inserts are as many megabytes.
    """

    def __init__(self, connection: Connection[Any], threshold: int | None) -> None:
        super().__init__(connection)
        self.threshold = threshold

    def execute(self, *arguments: Any, **named: Any) -> Any:
        self.connection.prepare_threshold = self.threshold
        try:
            return super().execute(*arguments, **named)
        finally:
            self.connection.prepare_threshold = None


class DatabaseWrapper(base.DatabaseWrapper):
    """What `DATABASES` calls `common.postgresql`."""

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "prepare_threshold": None}

    def keeping_cursor(self) -> KeepingCursor:
        """A bare cursor on the open connection; common/prepared.py says for what."""
        threshold = self.settings_dict["OPTIONS"].get("prepare_threshold")
        return KeepingCursor(self.connection, threshold)

    def is_usable(self) -> bool:
        """Whether the connection lives; Django asks at the first query of each request.

        A server that ends a connection says so and closes it, so there is something to read where
        otherwise nothing comes. Only then, and after an error, the server is asked.
        """
        if self.connection is not None and not self.errors_occurred and _is_quiet(self.connection):
            return True
        return bool(super().is_usable())


def _is_quiet(connection: "Connection[object]") -> bool:
    """Whether the connection waits for us, and nothing has come from the server."""
    if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return not poll.poll(0)
