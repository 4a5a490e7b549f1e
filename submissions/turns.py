"""In each process of a web server, large submissions are read and checked one after the other.

To read and check 10,000 answers keeps the interpreter, which all threads of a process share, busy for
about 50 ms. As many threads as there are would do it at once, and reviewers would wait for all of them.
So whoever has no turn waits, in a thread that others lack meanwhile; where half of the threads are lost
so, whoever comes next is sent away.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from django.utils.translation import gettext_lazy as _

from common.errors import NOT_NOW, DomainError

LARGE_BYTES = 20_000
LARGE_PART = 1_000
"""What is smaller, to a part with no more items, takes no longer than a page."""
LONGEST_WAIT_SECONDS = 10.0
RETRY_SECONDS = range(2, 11)


class TooManyAtOnce(DomainError):
    """Nothing was read. The seconds are drawn, so that not all come back in the same moment."""

    code = "too_many_at_once"
    detail = _(
        "Many answers are being checked just now, so yours were not read and nothing was counted. "
        "Send them again in %(retry_after_seconds)s seconds."
    )
    status = NOT_NOW


class Turns:
    """One is in turn; those who wait for theirs and the one in turn are at most `room`.

    `inside` is how many they are.
    """

    def __init__(self, room: int = 2) -> None:
        self.room, self.inside = room, 0
        self._counting, self._turn = threading.Lock(), threading.Lock()

    def share(self, threads: int) -> None:
        """Leave half of a web server's threads to other requests."""
        self.room = max(1, threads // 2)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a turn and have it. Raises TooManyAtOnce."""
        self._enter()
        try:
            if not self._turn.acquire(timeout=LONGEST_WAIT_SECONDS):
                raise _sent_away()
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._counting:
            if self.inside >= self.room:
                raise _sent_away()
            self.inside += 1

    def _leave(self) -> None:
        with self._counting:
            self.inside -= 1


TURNS = Turns()
"""Those of this process."""


def turn_for(*, size: int, items: int) -> AbstractContextManager[None]:
    """Return the turn of a submission of `size` bytes to a part with so many items.

    Entering it raises TooManyAtOnce. A small one needs none.
    """
    is_large = size > LARGE_BYTES or items > LARGE_PART
    return TURNS.taken() if is_large else nullcontext()


def _sent_away() -> TooManyAtOnce:
    return TooManyAtOnce(retry_after_seconds=secrets.choice(RETRY_SECONDS))
