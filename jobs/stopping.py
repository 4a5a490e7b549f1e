"""Whether this worker was told to stop, in a form that the processes of its pool can see.

A prefork worker hears SIGTERM in its parent process, while the work is in a child that goes on
until the job is done. Both share this one byte of memory: it is mapped when the parent imports
the module, and a fork keeps such a mapping. On a solo or threads pool it is an ordinary flag.
"""

import mmap

_flag = mmap.mmap(-1, 1)


def request_stop() -> None:
    """Ask every job of this worker to go back to the queue; safe inside a signal handler."""
    _flag[0] = 1


def clear_stop() -> None:
    _flag[0] = 0


def is_stopping() -> bool:
    """Whether the worker was told to stop; costs next to nothing."""
    return _flag[0] != 0
