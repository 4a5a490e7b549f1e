"""Limits how often one endpoint is called, and how often at once, for all who call it."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

Thread = Literal["any", "caller"]
ANY: Thread = "any"
CALLER: Thread = "caller"


class RateLimiter(Protocol):
    """Shared by every worker of an endpoint; `now` is of one monotonic clock, all times in seconds.

    `thread` says where it is called: in the event loop, or in the thread that has the database.
    """

    @property
    def thread(self) -> Thread: ...

    def reserve(self, now: float) -> float:
        """Take one call and return 0, or take nothing and return the seconds to wait."""
        ...

    def pause(self, seconds: float, now: float) -> None:
        """Let nobody call for so long, as the endpoint asked; the later of two pauses holds."""
        ...


class Places(Protocol):
    """How many calls to an endpoint may be under way at once, shared with other processes."""

    @property
    def granted(self) -> int:
        """How many this process may have now."""
        ...

    def look(self, under_way: int) -> None:
        """See whether that has changed, in the thread that has the database; cheap to call often."""
        ...


@dataclass(slots=True)
class Unlimited:
    """No limit but the pauses that the endpoint asks for."""

    thread: ClassVar[Thread] = ANY
    paused_until: float = 0.0

    def reserve(self, now: float) -> float:
        """Return what is left of a pause."""
        return max(self.paused_until - now, 0.0)

    def pause(self, seconds: float, now: float) -> None:
        """Keep the later of two pauses."""
        self.paused_until = max(self.paused_until, now + seconds)


_of_endpoint: dict[str, Unlimited] = {}


def limiter_of_process(endpoint: str) -> RateLimiter:
    """Return the one limiter in this process of an endpoint without a rate, for its pauses."""
    return _of_endpoint.setdefault(endpoint, Unlimited())
