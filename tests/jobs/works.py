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


def count_for_long(job: Job, progress: Progress) -> dict[str, Any]:
    """Count to `params["seconds"]` in tenths, on from where an earlier worker was stopped."""
    job.refresh_from_db()
    total = int(job.params["seconds"]) * 10
    progress.start(total, done=job.done)
    for number in range(job.done, total):
        time.sleep(0.1)
        progress.advance_to(number + 1)
    return {"counted": total}
