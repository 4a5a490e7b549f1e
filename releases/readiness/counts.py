"""What is counted over all approved items; of a large project, as it was not long ago."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.items.kept import kept
from projects.models import Project
from releases.readiness.queries import (
    opened_tests,
    public_tests_by_subject,
    tests_and_devs,
)


@dataclass(frozen=True, slots=True)
class ApprovedCounts:
    """Approved items by id of their subject; `opened` and `public` are tests.

    `opened` were published already, `public` come from a source that anybody can look up.
    """

    tests: Mapping[int, int]
    devs: Mapping[int, int]
    opened: Mapping[int, int]
    public: Mapping[int, int]


def approved_counts(project: Project) -> ApprovedCounts:
    """Count the approved items of each subject."""

    def count() -> ApprovedCounts:
        tests, devs = tests_and_devs(project)
        return ApprovedCounts(tests, devs, opened_tests(project), public_tests_by_subject(project))

    return kept(project, "approved", count)


def told(project: Project, find: Callable[[Project], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the uids that `find` finds among all approved items."""
    return kept(project, find.__name__, lambda: find(project))
