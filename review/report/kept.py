"""What is counted of large rounds, kept for a while: pages must not count it each time."""

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

from review.enums import RoundState
from review.models import Round

Value = TypeVar("Value")
LARGE_ROUND = 10_000
"""Rounds with fewer panels are counted anew each time."""
KEPT_MINUTES = 10
"""So old may be what is told of a large round that is open, by group and by reviewer."""
KEPT_SECONDS_CLOSED = 24 * 3600


def kept_minutes(round_: Round | None) -> int | None:
    """How old what is told of a round may be; None where it is of this moment."""
    return KEPT_MINUTES if round_ and is_kept(round_) else None


def is_kept(round_: Round) -> bool:
    """Whether what is told of a round may be of an earlier moment."""
    return round_.state == RoundState.OPEN and round_.panel_count >= LARGE_ROUND


def kept(round_: Round, name: str, count: Callable[[], Value]) -> Value:
    """What `count` said of a large round not long ago, or what it says now.

    What was said of an open round is never said of the closed one.
    """
    if round_.panel_count < LARGE_ROUND:
        return count()
    key = _key(round_, name)
    found: Value | None = cache.get(key)
    if found is None:
        found = count()
        is_open = round_.state == RoundState.OPEN
        cache.set(key, found, 60 * KEPT_MINUTES if is_open else KEPT_SECONDS_CLOSED)
    return found


def is_at_hand(round_: Round, name: str) -> bool:
    """Whether `kept` answers without counting a large round."""
    return round_.panel_count < LARGE_ROUND or cache.has_key(_key(round_, name))


def _key(round_: Round, name: str) -> str:
    return f"review:kept:{round_.pk}:{round_.state}:{name}"
