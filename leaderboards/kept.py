"""Leaderboards and their pages, kept for a minute: many people may read a public one at once."""

from collections.abc import Callable
from typing import TypeVar, cast

from django.core.cache import cache

from accounts.audit import newest_event
from leaderboards.queries import Board, board_of
from releases.models import Release

Value = TypeVar("Value")
KEPT_SECONDS = 60
"""So old may be what is shown of runs and of submissions that were scored just now."""


def kept_board(release: Release, part: str, *, with_categories: bool = True) -> Board:
    """Return the leaderboard of a part as it was at most a minute ago."""
    return kept(
        release,
        f"board:{part}:{with_categories}",
        lambda: board_of(release, part, with_categories=with_categories),
    )


def kept(release: Release, name: str, make: Callable[[], Value]) -> Value:
    """Return what `make` returned at most a minute ago.

    What was made before the newest row of the project's audit log is never used, so that an entry
    that was hidden or withdrawn is gone at once.
    """
    key = f"leaderboards:3:{release.pk}:{newest_event(release.project.slug)}:{name}"
    found = cache.get(key)
    if found is None:
        found = make()  # not read back: of a long board that would cost as much again
        cache.set(key, found, KEPT_SECONDS)
    return cast("Value", found)
