"""The Celery application; tasks live in each app's `tasks.py`."""

import os
import threading
from typing import Any

import structlog
from celery import Celery
from celery.signals import setup_logging, worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("lotsawa")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_django_logging(**_: object) -> None:
    """Let Django's LOGGING stand; without a receiver Celery installs its own handlers."""


REAP_SECONDS = 5.0
_stopping = threading.Event()


@worker_ready.connect
def start_reaper(**_: Any) -> None:
    """Beat for this worker and wake up lost jobs, from a thread, while the worker lives."""
    threading.Thread(target=_reap_until_stopped, daemon=True, name="reaper").start()


@worker_shutdown.connect
def stop_reaper(**_: Any) -> None:
    _stopping.set()


def _reap_until_stopped() -> None:
    from django.db import DatabaseError, connection
    from django.utils import timezone

    from common import jobs

    log = structlog.get_logger(__name__)
    while True:
        try:
            jobs.record_beat(name=jobs.worker_name(), now=timezone.now())
            jobs.reap_jobs(now=timezone.now())
        except DatabaseError as error:  # away or locked: the next turn tries again
            log.warning("reaper.database_error", error=str(error))
            connection.close()
        if _stopping.wait(REAP_SECONDS):
            return
