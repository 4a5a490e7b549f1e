"""What is counted over all items of a large project, kept for a while: pages must not count it each time."""

from collections.abc import Callable
from typing import TypeVar, cast

from django.core.cache import cache

from accounts.audit import newest_event
from annotation.models import Item
from projects.models import Project

Value = TypeVar("Value")
LARGE_PROJECT = 10_000
"""Projects with fewer items are counted anew each time."""
KEPT_MINUTES = 10
"""So old may be what is told of a large one while people do nothing but judge."""


def kept_minutes(project: Project) -> int | None:
    """Return how old the counts of a project may be; None where they are of this moment."""
    return KEPT_MINUTES if _is_large(project) else None


def kept(project: Project, name: str, count: Callable[[], Value]) -> Value:
    """Return what `count` said of a large project not long ago, or what it says now.

    What was said before the newest row of the project's audit log is never used, so that what
    somebody put right is gone at once.
    """
    if not _is_large(project):
        return count()
    key = f"annotation:kept:{project.pk}:{newest_event(project.slug)}:{name}"
    return cast("Value", cache.get_or_set(key, count, 60 * KEPT_MINUTES))


def _is_large(project: Project) -> bool:
    rows = Item.all_rows.filter(project=project).order_by()
    return rows[LARGE_PROJECT - 1 : LARGE_PROJECT].exists()
