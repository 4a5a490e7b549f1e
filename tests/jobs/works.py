"""Work for the jobs of tests, named by path as a kind names it, also in processes of their own."""

import os
import signal
import time
from typing import Any

from jobs.models import Job
from jobs.progress import Progress


def do_nothing(_job: Job, _progress: Progress) -> dict[str, Any]:
    return {"done": "nothing"}


def kill_worker(_job: Job, _progress: Progress) -> dict[str, Any]:
    """End the process as the kernel does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def exit_worker(_job: Job, _progress: Progress) -> dict[str, Any]:
    """End the process as a fault in a C library does."""
    os._exit(9)


def count(job: Job, progress: Progress) -> dict[str, Any]:
    """Count to `params["to"]`, a tenth of a second for each, on from where an earlier worker was.

    It gives way at the end of its turn.
    """
    job.refresh_from_db()
    total = int(job.params["to"])
    progress.start(total, done=job.done)
    for number in range(job.done, total):
        time.sleep(0.1)
        progress.advance_to(number + 1)
        progress.check_turn()
    return {"counted": total}


WORKS = {work.__name__: work for work in (do_nothing, kill_worker, exit_worker, count)}


def do_as_told(job: Job, progress: Progress) -> dict[str, Any]:
    """Do what `params["work"]` names."""
    return WORKS[job.params["work"]](job, progress)
