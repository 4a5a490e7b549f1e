"""How long something takes, told so that a busy machine makes little difference."""

import gc
import time
from collections.abc import Callable

RUNS = 5


def least_cpu(work: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of CPU of the quickest of a few runs; ask for one where answers are kept for the next.

    No garbage is collected meanwhile, and what other threads do is not counted: where many tests have
    run, both can take longer than the work.
    """
    times = []
    gc.disable()
    try:
        for _run in range(runs):
            began = time.thread_time()
            work()
            times.append(time.thread_time() - began)
    finally:
        gc.enable()
    return min(times)
