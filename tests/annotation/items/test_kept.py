"""Counts of large projects are kept until somebody acts, and for some minutes at most."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from annotation.items import kept
from annotation.items.actions import exclude_item
from projects.models import Project
from tests.factories import UserFactory, make_translated_item

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def large_projects(monkeypatch: Any) -> None:
    monkeypatch.setattr(kept, "LARGE_PROJECT", 2)


def counting(project: Project) -> Callable[[], int]:
    """Return what asks for a count that is one higher each time it is really made."""
    numbers = iter(range(10))
    return lambda: kept.kept(project, "n", lambda: next(numbers))


def test_count_is_kept_from_the_size_on_that_makes_a_project_large(project: Project) -> None:
    count = counting(project)

    make_translated_item(project=project)
    assert (count(), count(), kept.kept_minutes(project)) == (0, 1, None)
    make_translated_item(project=project)
    assert (count(), count(), kept.kept_minutes(project)) == (2, 2, kept.KEPT_MINUTES)
    cache.clear()
    assert count() == 3


def test_count_is_of_this_moment_after_anybody_acted(project: Project) -> None:
    count = counting(project)
    first, _other = (make_translated_item(project=project) for _ in range(2))
    assert (count(), count()) == (0, 0)

    exclude_item(item=first, reason="twice", actor=UserFactory(), now=timezone.now())

    assert (count(), count()) == (1, 1)
