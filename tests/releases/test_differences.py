"""What changed between two releases, and that a release keeps the keys it froze."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from annotation.items.keys import correct_key
from annotation.models import Item
from projects.enums import Role
from projects.models import Project
from releases.differences import KeyDifference, ReleaseDifference, difference
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from releases.storage import release_folder
from tests.releases.builders import NOW, approve, build, build_published, fill, make_approved

pytestmark = pytest.mark.django_db

Member = Callable[..., User]


def correct(project: Project, uid: str, key: str) -> None:
    item = Item.objects.select_related("project").get(project=project, uid=uid)
    correct_key(item=item, key=key, reason="the law says so", actor=None, now=NOW)


def two_releases(project: Project, **second: Any) -> tuple[Release, Release]:
    """Keys of two items and the text of one change; one item goes and one comes."""
    fill(project, subjects=1, tests=5, devs=0)
    before = build_published(project, "0.1.0")
    correct(project, "s0/0", "C")
    correct(project, "s0/4", "D")
    item = Item.objects.get(project=project, uid="s0/1")
    translation = item.working_translation
    old = translation.current_revision
    old.pk, old.number, old.supersedes_id = None, 2, translation.current_revision_id
    old.question, old.content_hash = "གསར།", "1" * 64
    old.save(force_insert=True)
    translation.current_revision = old
    translation.save()
    approve(item)
    Item.objects.filter(uid="s0/2").update(state="excluded")
    make_approved(project, uid="s0/5", subject=item.subject, source=item.source)
    return before, build_published(project, "0.2.0", **second)


def test_difference_names_what_came_went_and_changed(project: Project) -> None:
    before, after = two_releases(project)
    assert difference(before, after, shows_hidden=False) == ReleaseDifference(
        before="0.1.0",
        after="0.2.0",
        added=1,
        removed=1,
        texts=1,
        keys=(KeyDifference("s0/0", "A", "C"), KeyDifference("s0/4", "A", "D")),
        hidden_keys=0,
    )


def test_keys_of_hidden_items_are_counted_and_named_only_for_managers(project: Project) -> None:
    before, after = two_releases(project)
    ReleaseItem.objects.filter(release=after, uid="s0/4").update(subset=Subset.BLACK_BOX)
    for_all = difference(before, after, shows_hidden=False)
    for_managers = difference(before, after, shows_hidden=True)
    assert ([row.uid for row in for_all.keys], for_all.hidden_keys) == (["s0/0"], 1)
    assert ([row.uid for row in for_managers.keys], for_managers.hidden_keys) == (
        ["s0/0", "s0/4"],
        0,
    )


def test_release_keeps_the_keys_that_it_froze(project: Project) -> None:
    fill(project, subjects=1, tests=3, devs=0)
    release = build(project)
    folder = release_folder(project.slug, "0.1.0")
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    correct(project, "s0/0", "C")

    keys = ReleaseItem.objects.filter(release=release).order_by("uid").values_list("uid", "key")
    assert list(keys) == [("s0/0", "A"), ("s0/1", "A"), ("s0/2", "A")]
    assert files == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    later = build(project, "0.2.0")
    assert later.items.get(uid="s0/0").key == "C"


def test_page_and_api_compare_with_the_release_before(
    project: Project,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    two_releases(project)
    reviewer = member(Role.REVIEWER)
    browser, api = browser_of(reviewer), api_of(reviewer)

    page = browser.get("/projects/ti/releases/0.2.0/changes/")
    first = browser.get("/projects/ti/releases/0.1.0/changes/")
    found = api.get("/api/v1/releases/ti/0.2.0/diff/0.1.0/")
    refused = api.get("/api/v1/releases/ti/0.1.0/diff/0.2.0/")
    unknown = api.get("/api/v1/releases/ti/0.2.0/diff/9.0.0/")

    assert "s0/0" in page.content.decode()
    assert "There is no earlier release" in first.content.decode()
    assert found.json() == {
        "before": "0.1.0",
        "after": "0.2.0",
        "added": 1,
        "removed": 1,
        "texts": 1,
        "keys": [
            {"uid": "s0/0", "before": "A", "after": "C"},
            {"uid": "s0/4", "before": "A", "after": "D"},
        ],
        "hidden_keys": 0,
    }
    assert (refused.status_code, refused.json()["code"]) == (404, "no_earlier_release")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "no_earlier_release")
    assert browser.get("/projects/ti/releases/0.2.0/changes/?since=9.0.0").status_code == 404
