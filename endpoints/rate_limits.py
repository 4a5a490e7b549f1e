"""Limits how often one endpoint is called, for all who call it."""

import threading
from dataclasses import dataclass, field
from typing import Protocol


class RateLimiter(Protocol):
    """Shared by every worker of an endpoint; `now` is of one monotonic clock, all times in seconds."""

    def reserve(self, now: float) -> float:
        """Take one call and return 0, or take nothing and return the seconds to wait."""
        ...

    def pause(self, seconds: float, now: float) -> None:
        """Let nobody call for so long, as the endpoint asked; the later of two pauses holds."""
        ...


@dataclass(slots=True)
class Unlimited:
    """No limit but the pauses that the endpoint asks for."""

    paused_until: float = 0.0

    def reserve(self, now: float) -> float:
        """Return what is left of a pause."""
        return max(self.paused_until - now, 0.0)

    def pause(self, seconds: float, now: float) -> None:
        """Keep the later of two pauses."""
        self.paused_until = max(self.paused_until, now + seconds)


@dataclass(slots=True)
class TokenBucket:
    """`rate` calls a second (None for no limit) with bursts of up to `burst`; safe between threads."""

    rate: float | None
    burst: float = 1.0
    tokens: float = field(init=False)
    filled_at: float | None = field(default=None, init=False)
    paused_until: float = field(default=0.0, init=False)
    lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Start full. Raises ValueError for a rate or burst that would never let a call pass."""
        if self.burst < 1:
            raise ValueError("burst must be at least 1")
        self.change_rate(self.rate)
        self.tokens = self.burst

    def change_rate(self, rate: float | None) -> None:
        """Refill by `rate` from the next call on. Raises ValueError where none would ever pass."""
        if rate is not None and rate <= 0:
            raise ValueError("rate must be above 0")
        with self.lock:
            self.rate = rate

    def reserve(self, now: float) -> float:
        """Take a token, or say when there will be one."""
        with self.lock:
            if now < self.paused_until:
                return self.paused_until - now
            if self.rate is None:
                return 0.0
            since = now if self.filled_at is None else self.filled_at
            self.tokens = min(self.burst, self.tokens + max(now - since, 0.0) * self.rate)
            self.filled_at = now
            if self.tokens >= 1:
                self.tokens -= 1
                return 0.0
            return (1 - self.tokens) / self.rate

    def pause(self, seconds: float, now: float) -> None:
        """Keep the later of two pauses."""
        with self.lock:
            self.paused_until = max(self.paused_until, now + seconds)


_of_endpoint: dict[str, TokenBucket] = {}


def limiter_of_process(endpoint: str, rate: float | None) -> RateLimiter:
    """The one limiter of an endpoint in this process, from now on of `rate` calls a second.

    None is no limit. Whoever holds the limiter already goes by the new rate too.
    """
    bucket = _of_endpoint.setdefault(endpoint, TokenBucket(rate))
    bucket.change_rate(rate)
    return bucket
