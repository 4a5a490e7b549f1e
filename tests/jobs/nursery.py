"""A process that forks a worker for each line it reads, queues separated by commas, and writes its pid.

It loads Django once; each worker runs `manage.py work`, but looks for jobs and for the dead more often.
"""

import mmap
import os
import signal
import sys
from dataclasses import replace

import django


def main() -> None:
    django.setup()
    hurry()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets ended workers at once
    say("ready")
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work(line.strip())
        say(pid)


def hurry() -> None:
    from config import worker_threads
    from jobs import polling
    from jobs.enums import Queue
    from jobs.kinds import register_kind
    from tests.jobs.conftest import TESTING

    kind = register_kind(replace(TESTING, work="tests.jobs.works.do_as_told"))
    register_kind(replace(kind, name="calling", queue=Queue.CALLS))
    worker_threads.REAP_SECONDS = 0.1
    polling.POLL_SECONDS = 0.05


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def work(queues: str) -> None:
    """Be a worker, and never come back."""
    from django.core.management import call_command

    from jobs import stopping

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    stopping._flag = mmap.mmap(-1, 1)  # a fork shares it, and these are no pool
    call_command("work", queues=queues)
    os._exit(0)


if __name__ == "__main__":
    main()
