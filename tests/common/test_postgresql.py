"""A kept connection to PostgreSQL is checked without a query, and one that has ended is found out."""

import time
from collections.abc import Iterator

import pytest
from django.db import DatabaseError, connection, connections

from common.prepared import keeping_cursor

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.postgres,
]


@pytest.fixture
def kept(transactional_db: None) -> Iterator[object]:
    """A connection of its own, as a thread of the web server keeps one."""
    copy = connections["default"].copy()
    copy.connect()
    yield copy
    copy.close()


def end(kept: object) -> None:
    """Have the server end it, as its restart does, and wait until that is so."""
    pid = kept.connection.info.backend_pid
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        for _try in range(1200):
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [pid])
            if cursor.fetchone() == (0,):
                return
            time.sleep(0.05)
    raise AssertionError("the server did not end the connection")


def statements_of(pid: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [pid])
        return str(cursor.fetchone()[0])


def test_quiet_connection_is_usable_without_asking_the_server(kept: object) -> None:
    with kept.cursor() as cursor:
        cursor.execute("SELECT 'the last statement'")
    assert kept.is_usable()
    assert "the last statement" in statements_of(kept.connection.info.backend_pid)


def test_connection_is_asked_of_the_server_after_an_error(kept: object) -> None:
    kept.errors_occurred = True
    assert kept.is_usable()
    assert statements_of(kept.connection.info.backend_pid) == "SELECT 1"


def test_connection_that_the_server_ended_is_not_usable(kept: object) -> None:
    end(kept)
    assert not kept.is_usable()


def test_query_after_the_server_ended_a_checked_connection_makes_a_new_one(kept: object) -> None:
    end(kept)
    kept.health_check_enabled, kept.health_check_done = True, False
    kept.settings_dict["CONN_HEALTH_CHECKS"] = True
    with kept.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_connection_that_was_closed_here_is_not_usable(kept: object) -> None:
    kept.connection.close()
    assert not kept.is_usable()


def kept_statements(kept: object) -> list[str]:
    """The beginnings of the statements that the server keeps for the connection."""
    with kept.cursor() as cursor:
        cursor.execute("SELECT left(statement, 40) FROM pg_prepared_statements")
        return [row[0] for row in cursor.fetchall()]


def test_only_statements_of_a_keeping_cursor_are_kept(kept: object) -> None:
    """psycopg's own count of statements is looked at: nothing public tells what it remembers."""
    for _time in range(5):
        with kept.cursor() as cursor:
            cursor.execute("SELECT %s AS written_out", ["x" * 1000])
        with keeping_cursor(kept) as cursor:
            cursor.execute("SELECT %s::int AS bound", [1])
    assert kept_statements(kept) == ["SELECT $1::int AS bound"]
    assert list(kept.connection._prepared._counts) == []


def test_error_in_a_kept_statement_leaves_the_others_uncounted(kept: object) -> None:
    with pytest.raises(DatabaseError), keeping_cursor(kept) as cursor:
        cursor.execute("SELECT 1 / %s::int", [0])
    assert kept.connection.prepare_threshold is None
