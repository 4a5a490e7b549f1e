"""Counts of large projects are kept for a while; what a build needs is looked at anew."""

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Item, Translation
from projects.models import Project
from releases.building.previews import build_preview
from releases.readiness import counts
from releases.readiness.report import readiness
from releases.splits import SplitRule
from tests.factories import make_translated_item

pytestmark = pytest.mark.django_db

RULE = SplitRule(dev_per_subject=5, black_box_share=0.0, seed=0)


@pytest.fixture(autouse=True)
def large_projects(monkeypatch: Any) -> None:
    monkeypatch.setattr(counts, "LARGE_PROJECT", 2)


def approved(project: Project, **fields: Any) -> Item:
    item = make_translated_item(project=project, key="A", **fields)
    Translation.objects.filter(pk=item.working_translation_id).update(state="approved")
    return item


def test_counts_of_a_large_project_are_kept_and_say_so(project: Project) -> None:
    approved(project)
    assert build_preview(project, RULE).kept_minutes is None
    approved(project)
    first = build_preview(project, RULE)
    approved(project)
    assert build_preview(project, RULE) == first
    assert (first.approved, first.kept_minutes) == (2, counts.KEPT_MINUTES)
    cache.clear()
    assert build_preview(project, RULE).approved == 3


def test_unfit_item_of_a_large_project_is_gone_at_once_when_it_was_put_right(
    project: Project,
) -> None:
    approved(project)
    unfit = approved(project)
    Item.objects.filter(pk=unfit.pk).update(key="")
    assert [each.code for each in readiness(project).blocking] == ["items_unfit"]
    Item.objects.filter(pk=unfit.pk).update(key="A")
    assert readiness(project).blocking == ()


def test_readiness_of_a_large_project_walks_over_no_item_twice(project: Project) -> None:
    approved(project)
    approved(project)
    with CaptureQueriesContext(connection) as first:
        readiness(project)
    with CaptureQueriesContext(connection) as again:
        readiness(project)
    assert len(first) - len(again) == 4  # tests and dev items, opened, public, unfit
