"""What is counted over all approved items, kept for a while: pages must not walk over them each time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.core.cache import cache

from projects.models import Project
from releases.readiness.queries import (
    opened_tests,
    public_tests_by_subject,
    tests_and_devs,
    unfit_uids,
)

Value = TypeVar("Value")
LARGE_PROJECT = 10_000
"""Projects with fewer approved items are counted anew each time."""
KEPT_MINUTES = 10
"""So old may be what is told of a large one. A build looks at every item again."""


@dataclass(frozen=True, slots=True)
class ApprovedCounts:
    """Approved items by id of their subject; `opened` and `public` are tests.

    `opened` were published already, `public` come from a source that anybody can look up.
    """

    tests: Mapping[int, int]
    devs: Mapping[int, int]
    opened: Mapping[int, int]
    public: Mapping[int, int]

    @property
    def is_large(self) -> bool:
        return sum(self.tests.values()) + sum(self.devs.values()) >= LARGE_PROJECT

    @property
    def kept_minutes(self) -> int | None:
        """How old the counts may be; None where they are of this moment."""
        return KEPT_MINUTES if self.is_large else None


def approved_counts(project: Project) -> ApprovedCounts:
    """Count the approved items of each subject; of a large project, as it was not long ago."""

    def count() -> ApprovedCounts:
        tests, devs = tests_and_devs(project)
        return ApprovedCounts(tests, devs, opened_tests(project), public_tests_by_subject(project))

    return _kept(project, "counts", count, is_keepable=lambda counts: counts.is_large)


def unfit_told(project: Project, counts: ApprovedCounts) -> tuple[str, ...]:
    """Return the approved items that no release can hold, as `unfit_uids` does.

    Only that there were none is kept, so that an item that was put right is gone at once.
    """
    if not counts.is_large:
        return unfit_uids(project)
    return _kept(project, "unfit", lambda: unfit_uids(project), is_keepable=lambda uids: not uids)


def _kept(
    project: Project, name: str, count: Callable[[], Value], *, is_keepable: Callable[[Value], bool]
) -> Value:
    key = f"releases:kept:{project.pk}:{name}"
    found: Value | None = cache.get(key)
    if found is None:
        found = count()
        if is_keepable(found):
            cache.set(key, found, 60 * KEPT_MINUTES)
    return found
