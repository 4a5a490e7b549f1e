"""Python's search for garbage in cycles, and work that it only holds up."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Stop the search in the block: among many objects it takes long, and it finds none.

    What is in no cycle is given back at once all the same. Only for work that leaves few cycles,
    whose memory is therefore bounded without the search.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
