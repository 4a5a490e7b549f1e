"""A worker without a broker: it polls the rows of waiting jobs and does one after another."""

import time
from collections.abc import Collection

import structlog
from django.db import Error as DatabaseFailure
from django.db import close_old_connections

from jobs import stopping
from jobs.enums import Queue
from jobs.queries import next_job
from jobs.worker import run_job

log = structlog.get_logger(__name__)

POLL_SECONDS = 0.5


def work_until_stopped(queues: Collection[Queue]) -> None:
    """Do the jobs of these queues until `stopping.request_stop`; sleep while none waits."""
    while not stopping.is_stopping():
        if not do_next_job(queues):
            time.sleep(POLL_SECONDS)


def do_next_job(queues: Collection[Queue]) -> bool:
    """Do the job that has waited longest; return whether to look for the next at once.

    What goes wrong is logged, and the worker lives on: the row of work that raised has ended, and
    a database that is away is there again at another look.
    """
    try:
        number = next_job(queues)
        if number is not None:
            run_job(number)
            close_old_connections()
    except DatabaseFailure as error:
        log.warning("worker.database_error", error=str(error), exc_info=True)
    except Exception:
        log.exception("job.raised")
    else:
        return number is not None
    close_old_connections()
    return False
