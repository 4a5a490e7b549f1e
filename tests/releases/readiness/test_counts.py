"""What is counted of a large project is kept for a while; what a build needs is looked at anew."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.items import kept
from annotation.items.keys import correct_key
from annotation.models import Item, Translation
from projects.models import Project
from releases.building.previews import build_preview
from releases.readiness.checks import ItemsUnfit, check_fit
from releases.readiness.report import readiness
from releases.splits import SplitRule
from tests.factories import UserFactory, make_translated_item

pytestmark = pytest.mark.django_db

RULE = SplitRule(dev_per_subject=5, black_box_share=0.0, seed=0)


@pytest.fixture(autouse=True)
def large_projects(monkeypatch: Any) -> None:
    monkeypatch.setattr(kept, "LARGE_PROJECT", 2)


def approved(project: Project, **fields: Any) -> Item:
    item = make_translated_item(project=project, **{"key": "A"} | fields)
    Translation.objects.filter(pk=item.working_translation_id).update(state="approved")
    return item


def blocking(project: Project) -> list[str]:
    return [each.code for each in readiness(project).blocking]


def test_counts_of_a_large_project_are_kept_and_say_so(project: Project) -> None:
    approved(project)
    assert build_preview(project, RULE).kept_minutes is None
    approved(project)
    first = build_preview(project, RULE)
    approved(project)
    assert build_preview(project, RULE) == first
    assert (first.approved, first.kept_minutes) == (2, kept.KEPT_MINUTES)


def test_matter_of_a_large_project_is_gone_at_once_when_it_was_put_right(project: Project) -> None:
    approved(project)
    unfit = approved(project, key="D", options=["one", "two"])
    assert "items_unfit" in blocking(project)

    correct_key(item=unfit, key="B", reason="typo", actor=UserFactory(), now=timezone.now())

    assert "items_unfit" not in blocking(project)


def test_build_refuses_what_the_kept_counts_of_a_large_project_do_not_know_yet(
    project: Project,
) -> None:
    approved(project)
    item = approved(project)
    assert blocking(project) == []
    Item.objects.filter(pk=item.pk).update(key="")

    assert blocking(project) == []
    with pytest.raises(ItemsUnfit):
        check_fit(project)


def test_readiness_of_a_large_project_walks_over_no_item_twice(project: Project) -> None:
    approved(project)
    approved(project)
    with CaptureQueriesContext(connection) as first:
        readiness(project)
    with CaptureQueriesContext(connection) as again:
        readiness(project)
    # Tests and dev items, opened, public sources and their tests, unfit, errors, programs.
    assert len(first) - len(again) == 6
