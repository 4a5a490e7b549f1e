"""Who may read the files that Lotsawa writes: its owner alone, but for what a person asked for by name.

Servers, workers and `manage.py` make every file private by their umask. A command that writes to a
place of somebody's choice does that with the rights they are used to.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

PRIVATE = 0o077
_ordinary: list[int] = []


def keep_private() -> None:
    """From here on this process makes files and folders that only their owner can read."""
    before = os.umask(PRIVATE)
    if not _ordinary:
        _ordinary.append(before)


@contextmanager
def private_files() -> Iterator[None]:
    """Make files in the block for their owner alone, in a command too.

    A process has one umask for all its threads; those with many threads are private anyway.
    """
    before = os.umask(PRIVATE)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def ordinary_files() -> Iterator[None]:
    """Make files in the block with the rights that the person's own umask gives."""
    if not _ordinary:
        yield
        return
    before = os.umask(_ordinary[0])
    try:
        yield
    finally:
        os.umask(before)
