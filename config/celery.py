"""The Celery application: which signals of a worker the jobs listen to.

The only task is `jobs.tasks.run`; what it does is declared in each app's `job_kinds.py`. E-mails
are no tasks: each worker sends those that wait as rows, from a thread, so that no job delays them.
Notifications are made in another, and webhooks are sent from a third.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery import Celery
from celery.signals import (
    setup_logging,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from common.private_files import keep_private
from jobs import stopping

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("lotsawa")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

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


@setup_logging.connect
def keep_django_logging(**_: object) -> None:
    """Let Django's LOGGING stand; without a receiver Celery installs its own handlers."""


@worker_init.connect
def prepare_worker(**_: Any) -> None:
    """Forget an earlier stop and write private files, before any process is forked."""
    stopping.clear_stop()
    keep_private()


@worker_shutting_down.connect
def tell_jobs_to_stop(**_: Any) -> None:
    """Have running jobs go back to the queue; called in the parent's signal handler."""
    stopping.request_stop()


@worker_process_init.connect
def unwind_on_sigterm(**_: Any) -> None:
    """Let a pool process that gets SIGTERM itself put its job back before it goes.

    Celery leaves these processes with the default, which is to vanish. systemd sends the signal
    to all processes of a service, and such a stop must not count as a crash of the job.
    """
    signal.signal(signal.SIGTERM, lambda *_args: sys.exit(0))


@worker_ready.connect
def start_threads(**_: Any) -> None:
    """While the worker lives, beat for it, wake up lost jobs, send e-mails and notify, whatever it does."""
    for target, name in (
        (_reap_until_stopped, "reaper"),
        (_mail_until_stopped, "mailer"),
        (_notify_until_stopped, "notifier"),
        (_send_webhooks_until_stopped, "webhooks"),
    ):
        thread = threading.Thread(target=target, daemon=True, name=name)
        _threads.append(thread)
        thread.start()


@worker_shutdown.connect
def stop_threads(**_: Any) -> None:
    _stopping.set()
    for thread in _threads:
        thread.join(JOIN_SECONDS)


def _reap_until_stopped() -> None:
    while True:
        is_last = _stopping.is_set()
        with _round:
            _reap_once(is_last=is_last)
        if is_last:
            return
        _stopping.wait(REAP_SECONDS)


def _reap_once(*, is_last: bool) -> None:
    from django.db import Error, connection
    from django.utils import timezone

    from jobs import processes, reaper

    name = processes.worker_name()
    try:
        if is_last:
            reaper.forget_worker(name)
            return
        reaper.record_beat(name=name, now=timezone.now())
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
    """What a thread does at the database, and no fork meanwhile."""
    from django.db import connection

    with _round:
        try:
            yield
        finally:
            connection.close()
