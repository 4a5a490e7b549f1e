"""The health of the installation: database, disk, broker, worker and queue."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import Error, connection

from config.models import WriteProbe
from jobs.enums import Queue
from jobs.queries import is_broker_reachable, oldest_waiting_since, queues_without_worker

OK = "ok"
UNREACHABLE, NOT_WRITABLE = "unreachable", "not writable"
PROBE_SECONDS = 10.0
LOCK_MILLISECONDS = 2000


@dataclass(frozen=True, slots=True)
class Health:
    """`web` is always "ok": somebody answered. Anything but "ok" in a part says what is wrong."""

    database: str
    disk: str
    disk_free_bytes: int
    broker: str
    worker: str
    queue: str
    queue_oldest_seconds: int

    @property
    def is_serving(self) -> bool:
        """Return whether people can work: pages read and write the database."""
        return self.database == OK

    @property
    def status(self) -> str:
        """Return "ok", "degraded" (people can work, but somebody should look) or "failing"."""
        if not self.is_serving:
            return "failing"
        parts = (self.disk, self.broker, self.worker, self.queue)
        return OK if all(part == OK for part in parts) else "degraded"


class _Probe:
    """The last answer to "can the database be written to?", good for PROBE_SECONDS."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked_at = 0.0
        self._answer = ""

    def answer(self) -> str:
        """Ask at most once in PROBE_SECONDS a process; failures are asked again each time."""
        with self._lock:
            now = time.monotonic()
            if self._answer != OK or now - self._asked_at >= PROBE_SECONDS:
                self._answer = _write()
                self._asked_at = time.monotonic()
            return self._answer

    def forget(self) -> None:
        self._answer = ""


probe = _Probe()


def measure_health(*, now: datetime) -> Health:
    """Ask every part; a part that cannot be asked without the database is "unknown"."""
    database = _database_state()
    free = shutil.disk_usage(settings.VAR).free
    can_read = database != UNREACHABLE
    waited = _waited_seconds(now) if can_read else 0
    is_late = waited > settings.HEALTH_QUEUE_SECONDS
    return Health(
        database=database,
        disk=OK if free >= settings.HEALTH_FREE_BYTES else "nearly full",
        disk_free_bytes=free,
        broker=OK if is_broker_reachable() else UNREACHABLE,
        worker=_worker_state(now) if can_read else "not seen",
        queue=("stuck" if is_late else OK) if can_read else "unknown",
        queue_oldest_seconds=waited,
    )


def _worker_state(now: datetime) -> str:
    missing = queues_without_worker(now=now)
    if len(missing) == len(Queue):
        return "not seen"
    return f"not seen for {', '.join(missing)}" if missing else OK


def _waited_seconds(now: datetime) -> int:
    since = oldest_waiting_since()
    return max(0, int((now - since).total_seconds())) if since else 0


def _database_state() -> str:
    """Return the database's state; a read comes first, because no lock hinders it."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return UNREACHABLE
    return probe.answer()


def _write() -> str:
    """Change the one row of the probe, which fails on a full disk or a lock that stays."""
    try:
        with _short_wait():
            WriteProbe.objects.update_or_create(pk=1, defaults={"turn": time.time_ns()})
    except Error:
        return NOT_WRITABLE
    return OK


@contextmanager
def _short_wait() -> Iterator[None]:
    """Wait for a lock no longer than a health check may take."""
    is_sqlite = connection.vendor == "sqlite"
    low = "PRAGMA busy_timeout = {}" if is_sqlite else "SET lock_timeout = {}"
    usual = int(connection.settings_dict["OPTIONS"].get("timeout", 0) * 1000) if is_sqlite else 0
    with connection.cursor() as cursor:
        cursor.execute(low.format(LOCK_MILLISECONDS))
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(low.format(usual))
