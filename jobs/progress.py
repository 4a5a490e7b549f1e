"""What running work reports about itself, and how it learns that it should stop."""

import time
from collections.abc import Callable

from django.utils import timezone

from jobs import stopping
from jobs.models import Job

WRITE_SECONDS = 0.5


class JobCancelled(Exception):
    """Raised inside the work when a person asked for its end."""


class JobInterrupted(Exception):
    """Raised inside the work when the worker is told to stop or has lost the job.

    A job that the worker still has goes back to the queue.
    """


class TurnOver(JobInterrupted):
    """Raised inside the work when another project is to be served before the job goes on."""


def _never() -> bool:
    return False


class Progress:
    """The running work's hand on its job row: how far it is, and whether it should stop.

    It reaches the row only as long as `worker` has the job; without one, whoever has it.
    `is_turn_over` says whether the worker has somebody else to serve.
    """

    def __init__(
        self,
        job_id: int,
        *,
        worker: str | None = None,
        is_turn_over: Callable[[], bool] = _never,
    ) -> None:
        rows = Job.objects.filter(pk=job_id)
        self._rows = rows if worker is None else rows.filter(worker=worker)
        self._is_turn_over = is_turn_over
        self._written_at = 0.0
        self._checked_at = 0.0
        self._more: list[Callable[[], None]] = []

    def also_check(self, more: Callable[[], None]) -> None:
        """Let `check` call this too, in the thread of the work; what it raises ends the work."""
        self._more.append(more)

    def start(self, total: int, *, done: int = 0, note: str = "") -> None:
        """Record how much there is to do and start the clock that tells the time left."""
        now = timezone.now()
        self._rows.update(
            total=total,
            done=done,
            note_code=note,
            heartbeat_at=now,
            clock_at=now,
            clock_done=done,
        )

    def set_note(self, note: str) -> None:
        """Say what the work is doing now: one of the codes in `notes` of the job's kind."""
        self._rows.update(note_code=note, heartbeat_at=timezone.now())

    def pause_clock(self, note: str) -> None:
        """Show `note`, and no time left until `start`: nobody can tell how long this takes."""
        self._rows.update(note_code=note, clock_at=None, heartbeat_at=timezone.now())

    def advance_to(self, done: int) -> None:
        """Record that `done` of the total are done, at most twice a second, and `check`."""
        if time.monotonic() - self._written_at >= WRITE_SECONDS:
            self._written_at = time.monotonic()
            self._rows.update(done=done, heartbeat_at=timezone.now())
        self.check()

    def check_turn(self) -> None:
        """Raise TurnOver if another project is to be served; for work that goes on where it stopped."""
        if self._is_turn_over():
            raise TurnOver

    def check(self) -> None:
        """Raise JobCancelled or JobInterrupted if the work should stop; cheap to call often."""
        if stopping.is_stopping():
            raise JobInterrupted
        if time.monotonic() - self._checked_at < WRITE_SECONDS:
            return
        self._checked_at = time.monotonic()
        row = self._rows.values("cancel_requested_at").first()
        if row is None:  # another worker has the job now
            raise JobInterrupted
        if row["cancel_requested_at"]:
            raise JobCancelled
        for more in self._more:
            more()
