"""The rate limit of an address that all processes share without Redis: a row for each address.

The row says when the next call may begin. A process takes turns by a compare-and-swap, so two that
look at once never take the same one. The clocks of the machines have to agree.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from endpoints.models import EndpointPace
from endpoints.rate_limits import CALLER, Thread

# At high rates a process takes the turns of so long at once, which bounds the writes.
LEASE_SECONDS = 0.1
# A turn that is taken late, but by less than this part of one, does not put off those after it.
LATE_TURN = 0.5
TRIES = 3


@dataclass(slots=True)
class SharedPace:
    """`rate` calls a second to an address, for all processes that share the database."""

    base_url: str
    rate: float
    clock: Callable[[], float] = time.time
    leased: int = field(default=0, init=False)
    thread: ClassVar[Thread] = CALLER

    def __post_init__(self) -> None:
        _make_row(self.base_url)

    def reserve(self, now: float) -> float:
        """Take a turn and return 0, or return the seconds until there is one."""
        if self.leased:
            self.leased -= 1
            return 0.0
        for _try in range(TRIES):
            wait = self._try_turn()
            if wait is not None:
                return wait
        return 1 / self.rate

    def pause(self, seconds: float, now: float) -> None:
        """Keep the later of two pauses, for every process."""
        self.leased = 0
        until = _moment(self.clock() + seconds)
        rows = EndpointPace.objects.filter(base_url=self.base_url, paused_until__lt=until)
        rows.update(paused_until=until)

    def _try_turn(self) -> float | None:
        """Return the seconds to wait, 0 for a turn, or None if another process was quicker."""
        seen = EndpointPace.objects.get(base_url=self.base_url)
        now = _moment(self.clock())
        free_at = max(seen.next_at, seen.paused_until)
        if free_at > now:
            return (free_at - now).total_seconds()
        turns = max(1, int(self.rate * LEASE_SECONDS))
        is_prompt = (now - free_at).total_seconds() <= LATE_TURN * turns / self.rate
        begun = free_at if is_prompt else now
        unchanged = EndpointPace.objects.filter(
            pk=seen.pk, next_at=seen.next_at, paused_until=seen.paused_until
        )
        if not unchanged.update(next_at=begun + timedelta(seconds=turns / self.rate)):
            return None
        self.leased = turns - 1
        return 0.0


def lock_address(base_url: str) -> None:
    """Let no other process by until the end of the transaction."""
    if not EndpointPace.objects.filter(base_url=base_url).update(base_url=base_url):
        _make_row(base_url)
        EndpointPace.objects.filter(base_url=base_url).update(base_url=base_url)


def _make_row(base_url: str) -> None:
    """Make sure that there is a row. Two processes may do so at once."""
    start = EndpointPace(base_url=base_url, next_at=_moment(0), paused_until=_moment(0))
    EndpointPace.objects.bulk_create([start], ignore_conflicts=True)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
