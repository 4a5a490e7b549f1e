"""The Celery application of servers with Redis: which signals of a worker the jobs listen to.

The only task is `jobs.tasks.run`; what it does is declared in each app's `job_kinds.py`. Without
Redis, `manage.py work` does the jobs.
"""

import os
import signal
import sys
from typing import Any

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


@setup_logging.connect
def keep_django_logging(**_: object) -> None:
    """Let Django's LOGGING stand; without a receiver Celery installs its own handlers."""


@worker_init.connect
def prepare_worker(**_: Any) -> None:
    """Forget an earlier stop and write private files, before any process is forked.

    Ends the worker if there is no Redis, where no message would ever reach it.
    """
    from django.conf import settings

    if not settings.REDIS_URL:
        sys.exit("Set LOTSAWA_REDIS_URL, or use “manage.py work”, which does jobs without Redis.")
    stopping.clear_stop()
    keep_private()


@worker_shutting_down.connect
def tell_jobs_to_stop(**_: Any) -> None:
    """Send running jobs back to the queue; called in the parent's signal handler."""
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
    """Start the threads that every worker has, for the queues named on the command line."""
    from config import worker_threads

    worker_threads.start_threads(list(app.amqp.queues.consume_from))


@worker_shutdown.connect
def stop_threads(**_: Any) -> None:
    from config import worker_threads

    worker_threads.stop_threads()
