"""The names of the processes that work on jobs, and whether one of them is still there."""

import os
import socket


def worker_name() -> str:
    return f"{socket.gethostname()}/{os.getpid()}"


def is_on_this_host(name: str) -> bool:
    return name.rpartition("/")[0] == socket.gethostname()


def is_known_dead(name: str) -> bool:
    """Whether the process ran on this host and is gone; of other hosts nothing is known."""
    pid = name.rpartition("/")[2]
    return is_on_this_host(name) and pid.isdecimal() and not process_exists(int(pid))


def process_exists(pid: int) -> bool:
    """Return whether a process of this number runs on this host."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
