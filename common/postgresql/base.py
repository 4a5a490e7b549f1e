"""Django's backend of PostgreSQL, but a connection that is kept is checked without a query."""

import select

from django.db.backends.postgresql import base
from psycopg import Connection
from psycopg.pq import TransactionStatus


class DatabaseWrapper(base.DatabaseWrapper):
    """What `DATABASES` calls `common.postgresql`."""

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
