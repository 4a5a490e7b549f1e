"""Two people at once, in one certain order, so that nothing depends on who is quicker.

One stops behind a statement of the test's choice; then the other goes on until it has ended or
waits for the first; then both go on to their end.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import connection, connections

LONGEST = 60
_WAITING = """
    SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'
"""


class Person(threading.Thread):
    """Somebody who does one thing on a connection of their own; `fault` is what it raised."""

    def __init__(self, act: Callable[[], Any], stop_behind: str = "") -> None:
        super().__init__(daemon=True)
        self.act, self.stop_behind = act, stop_behind
        self.stands, self.may_go, self.is_connected = (threading.Event() for _ in range(3))
        self.pid = 0
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            connection.ensure_connection()
            self.pid = getattr(getattr(connection.connection, "info", None), "backend_pid", 0)
            self.is_connected.set()
            with connection.execute_wrapper(self._watch):
                self.act()
        except BaseException as fault:  # noqa: BLE001 - shown by whoever started this
            self.fault = fault
        finally:
            self.is_connected.set()
            connections.close_all()

    def waits(self) -> bool:
        """Whether they wait for somebody's lock."""
        with connection.cursor() as cursor:
            # What a transaction reads of it stays the same until it is told to look again.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(_WAITING, [self.pid])
            return bool(cursor.fetchone()[0])

    def _watch(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        done = execute(sql, params, many, context)
        if self.stop_behind and self.stop_behind in sql and not self.stands.is_set():
            self.stands.set()
            assert self.may_go.wait(LONGEST)
        return done


def interleave(
    first: Callable[[], Any], second: Callable[[], Any], *, behind: str
) -> tuple[BaseException | None, BaseException | None]:
    """Let `second` come between: just behind the statement of `first` that contains `behind`.

    Returns what each raised. The test must be marked `postgres` and `transaction=True`: SQLite has
    one lock for all, so nobody can come between there.
    """
    one, two = Person(first, behind), Person(second)
    one.start()
    until(lambda: one.stands.is_set() or not one.is_alive())
    assert one.stands.is_set(), f"nothing like {behind!r} was executed: {one.fault!r}"
    two.start()
    assert two.is_connected.wait(LONGEST)
    until(lambda: not two.is_alive() or two.waits())
    one.may_go.set()
    for person in (one, two):
        person.join(LONGEST)
        assert not person.is_alive()
    return one.fault, two.fault


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)
