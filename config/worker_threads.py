"""The threads of every worker, with Celery or without: heartbeat, reaper, e-mails, notifications, webhooks.

None of these is a job, so that no job delays them. Each is due as a row and sent at most once
however many workers look for it.
"""

import os
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module

import structlog

from jobs import stopping

REAP_SECONDS = 5.0
MAIL_SECONDS = 2.0
NOTIFY_SECONDS = 5.0
WEBHOOK_SECONDS = 5.0
THOROUGH_EVERY = 12  # rounds of notifications between two that remind and queue digests
JOIN_SECONDS = 2.0
_stopping = threading.Event()
_threads: list[threading.Thread] = []
# A pool process that is forked while another thread writes to SQLite takes over SQLite's note, in
# memory, that this process holds the write lock, and finds the database locked for ever after. So
# nobody forks while a thread of ours is at the database, and in between no connection is open.
_round = threading.Lock()
os.register_at_fork(
    before=_round.acquire, after_in_parent=_round.release, after_in_child=_round.release
)


def start_threads(queues: Collection[str]) -> None:
    """Start the threads; the heartbeat names the queues that this worker takes jobs from.

    What they run is imported first, in one thread: two threads that import modules in circles may
    each see the other's half made, and a thread that dies of that is missed by nobody.
    """
    for module in ("accounts.mail", "jobs.reaper", "notifications.worker", "webhooks.worker"):
        import_module(module)
    for target, name in (
        (lambda: _reap_until_stopped(queues), "reaper"),
        (_mail_until_stopped, "mailer"),
        (_notify_until_stopped, "notifier"),
        (_send_webhooks_until_stopped, "webhooks"),
    ):
        thread = threading.Thread(target=target, daemon=True, name=name)
        _threads.append(thread)
        thread.start()


def stop_threads() -> None:
    """Ask the threads to end and wait a moment; the last heartbeat says goodbye."""
    _stopping.set()
    for thread in _threads:
        thread.join(JOIN_SECONDS)


def _reap_until_stopped(queues: Collection[str]) -> None:
    while True:
        is_last = _stopping.is_set()
        with _round:
            _reap_once(queues, is_last=is_last)
        if is_last:
            return
        _stopping.wait(REAP_SECONDS)


def _reap_once(queues: Collection[str], *, is_last: bool) -> None:
    from django.db import Error, connection
    from django.utils import timezone

    from jobs import processes, reaper

    name = processes.worker_name()
    try:
        if is_last:
            reaper.forget_worker(name)
            return
        reaper.record_beat(name=name, now=timezone.now(), queues=queues)
        if not stopping.is_stopping():  # this worker would take the message itself
            reaper.reap_jobs(now=timezone.now())
    except Error as error:  # away, started again or locked: the next round connects anew
        log = structlog.get_logger(__name__)
        log.warning("reaper.database_error", error=str(error))
    finally:
        connection.close()


def _mail_until_stopped() -> None:
    from accounts.mail import send_waiting_emails

    while not _stopping.wait(MAIL_SECONDS):
        try:
            send_waiting_emails(database=_database)
        except Exception:  # noqa: BLE001 - the thread lives as long as its worker
            # The database is away or an e-mail cannot be written: the row waits for its next try.
            structlog.get_logger(__name__).exception("mail.failed")


def _notify_until_stopped() -> None:
    from notifications.worker import notify

    count = 0
    while not _stopping.wait(NOTIFY_SECONDS):
        try:
            notify(database=_database, is_thorough=count % THOROUGH_EVERY == 0)
        except Exception:  # noqa: BLE001 - the thread lives as long as its worker
            structlog.get_logger(__name__).exception("notifications.failed")
        count += 1


def _send_webhooks_until_stopped() -> None:
    from webhooks.worker import send_webhooks

    count = 0
    while not _stopping.wait(WEBHOOK_SECONDS):
        try:
            send_webhooks(
                database=_database,
                is_thorough=count % THOROUGH_EVERY == 0,
                is_stopping=_stopping.is_set,
            )
        except Exception:  # noqa: BLE001 - the thread lives as long as its worker
            structlog.get_logger(__name__).exception("webhooks.failed")
        count += 1


@contextmanager
def _database() -> Iterator[None]:
    """Hold the fork lock while a thread uses the database."""
    from django.db import connection

    with _round:
        try:
            yield
        finally:
            connection.close()
