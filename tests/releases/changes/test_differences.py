"""What changed between two releases, and that a release keeps the keys it froze."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from annotation.diffs import Segment
from annotation.enums import ItemKind
from annotation.items.keys import correct_key
from annotation.models import Item, Revision
from projects.enums import Role
from projects.models import Project, Subject
from releases.changes.changelog import as_markdown
from releases.changes.differences import (
    Difference,
    ReleaseDifference,
    SubjectDifference,
    TextDifference,
    difference,
    source_difference,
)
from releases.enums import Subset
from releases.files.storage import release_folder
from releases.models import Release, ReleaseItem
from tests.factories import MembershipFactory, ProjectFactory
from tests.releases.builders import (
    NOW,
    approve,
    build,
    build_published,
    built_once,
    fill,
    make_approved,
)

pytestmark = pytest.mark.django_db

Two = tuple[Release, Release]


def correct(project: Project, uid: str, key: str) -> None:
    item = Item.objects.select_related("project").get(project=project, uid=uid)
    correct_key(item=item, key=key, reason="the law says so", actor=None, now=NOW)


def rewrite(project: Project, uid: str) -> Item:
    """Approve another question for an item."""
    item = Item.objects.get(project=project, uid=uid)
    translation = item.working_translation
    old = translation.current_revision
    old.pk, old.number, old.supersedes_id = None, 2, translation.current_revision_id
    old.question, old.content_hash = "གསར།", "1" * 64
    old.save(force_insert=True)
    translation.current_revision = old
    translation.save()
    return approve(item)


def two_releases() -> Two:
    """Keys of two items and the text of one change; one item goes and one comes."""
    project = ProjectFactory(slug="ti", name="Ti")
    fill(project, subjects=1, tests=5, devs=0)
    before = build_published(project, "0.1.0")
    correct(project, "s0/0", "C")
    correct(project, "s0/4", "D")
    item = rewrite(project, "s0/1")
    Item.objects.filter(uid="s0/2").update(state="excluded")
    make_approved(project, uid="s0/5", subject=item.subject, source=item.source)
    return before, build_published(project, "0.2.0")


built = built_once(two_releases)


@pytest.fixture
def project() -> Project:
    """A project beside that of the two releases."""
    return ProjectFactory(slug="other")


COUNTS = {
    "added": 1,
    "removed": 1,
    "text": 1,
    "key": 2,
    "split": 0,
    "subset": 0,
    "category": 0,
}


def test_difference_names_what_came_went_and_changed(release: Two) -> None:
    before, after = release
    assert difference(before, after, shows_hidden=False) == ReleaseDifference(
        before="0.1.0",
        after="0.2.0",
        counts=COUNTS,
        hidden=dict.fromkeys(COUNTS, 0),
        subjects=(SubjectDifference("s0", COUNTS),),
        added=("s0/5",),
        removed=("s0/2",),
        text=(
            TextDifference(
                "s0/1",
                "s0",
                (
                    (Segment("del", "འདྲི་བ་ s0/1 ག་རེ་རེད།"), Segment("ins", "གསར།")),
                    *((Segment("same", f"ལན་ s0/1 {letter}"),) for letter in "ཀཁགང"),
                ),
            ),
        ),
        key=(Difference("s0/0", "s0", "A", "C"), Difference("s0/4", "s0", "A", "D")),
        split=(),
        subset=(),
        category=(),
    )


def test_difference_by_subject_tells_outsiders_of_open_items_alone(project: Project) -> None:
    """A subject may have one hidden item, and its corrected key would be told with the number."""
    fill(project, subjects=2, tests=4, devs=0)
    before = build_published(project, "0.1.0", black_box_share=0.25)
    for uid in before.items.filter(subject__slug="s1").values_list("uid", flat=True):
        correct(project, uid, "D")
    after = build_published(project, "0.2.0", black_box_share=0.25)
    found = difference(before, after, shows_hidden=False)
    assert (found.counts["key"], found.hidden["key"]) == (4, 1)
    assert [(row.subject, row.counts["key"]) for row in found.subjects] == [("s1", 3)]
    assert "| keys changed (open items) |" in as_markdown(found)
    [told] = difference(before, after, shows_hidden=True).subjects
    assert told.counts["key"] == 4


def test_splits_subsets_and_categories_are_compared(project: Project) -> None:
    fill(project, subjects=2, tests=4, devs=1)
    before = build_published(project, "0.1.0", black_box_share=0.25)
    Item.objects.filter(uid="s0/dev-0").update(split="test")
    Subject.objects.filter(slug="s1").update(category="Law")
    after = build(project, "0.2.0")
    found = difference(before, after, shows_hidden=False)
    assert found.split == (Difference("s0/dev-0", "s0", "dev", "test"),)
    assert [(row.before, row.after) for row in found.subset] == [("black-box", "open")] * 2
    assert {(row.before, row.after) for row in found.category} == {("Science / s1", "Law / s1")}
    assert (found.counts["category"], found.hidden["category"]) == (5, 1)


def test_reader_is_told_no_uid_key_or_text_of_a_hidden_item(release: Two) -> None:
    before, after = release
    items = ReleaseItem.objects.filter(release__in=[before, after])
    items.update(subset=Subset.BLACK_BOX)
    for row in items:
        ReleaseItem.objects.filter(pk=row.pk).update(public_id=f"hidden-{row.item_id}")
    for_all = difference(before, after, shows_hidden=False)
    told = as_markdown(for_all)
    assert for_all.counts == for_all.hidden == COUNTS
    assert "s0/" not in told
    assert "གསར།" not in told
    assert "s0/" in as_markdown(difference(before, after, shows_hidden=True))


def test_lists_hold_the_first_and_counts_all(release: Two) -> None:
    before, after = release
    found = difference(before, after, shows_hidden=True, most=1)
    assert ([row.uid for row in found.key], found.counts["key"]) == (["s0/0"], 2)


def test_source_difference_says_what_was_changed_in_its_keys(release: Two) -> None:
    _before, after = release
    correct(after.project, "s0/3", "B")  # after the release, which does not have it
    found = source_difference(after, shows_hidden=False)
    assert [(row.uid, row.before, row.after) for row in found.key] == [
        ("s0/0", "A", "C"),
        ("s0/4", "A", "D"),
    ]
    assert [row.uid for row in found.text] == ["s0/1"]
    assert found.before == "source"


def test_key_changed_and_changed_back_is_no_difference_from_the_source(project: Project) -> None:
    fill(project, subjects=1, tests=2, devs=0)
    correct(project, "s0/0", "C")
    correct(project, "s0/0", "A")
    found = source_difference(build(project), shows_hidden=True)
    assert found.key == ()


def test_queries_do_not_grow_with_what_changed(
    release: Two, django_assert_num_queries: Any
) -> None:
    before, after = release
    with django_assert_num_queries(3):
        difference(before, after, shows_hidden=False)


def test_markdown_escapes_what_markdown_would_read(project: Project) -> None:
    fill(project, subjects=1, tests=2, devs=0)
    before = build_published(project, "0.1.0")
    Item.objects.filter(uid="s0/1").update(state="excluded")
    ReleaseItem.objects.filter(uid="s0/1").update(uid="a|b*c&lt;", public_id="a|b*c&lt;")
    text = as_markdown(difference(before, build(project, "0.2.0"), shows_hidden=False))
    assert "- a\\|b\\*c\\&lt;\n" in text


def test_command_writes_markdown_json_and_the_difference_from_the_source(release: Two) -> None:
    out = StringIO()
    call_command("diff_releases", "ti", "0.1.0", "0.2.0", stdout=out)
    assert out.getvalue().startswith("# Changes in 0.2.0 since 0.1.0\n")
    assert "| s0/0 | A | C |" in out.getvalue()
    assert "~~འདྲི་བ་ s0/1 ག་རེ་རེད།~~**གསར།**" in out.getvalue()
    out = StringIO()
    call_command("diff_releases", "ti", "source", "0.2.0", "--format", "json", stdout=out)
    assert json.loads(out.getvalue())["counts"]["key"] == 2
    with pytest.raises(CommandError, match="no release 9"):
        call_command("diff_releases", "ti", "9.0.0", "0.2.0")


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
    release: Two,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    reviewer = MembershipFactory(project=release[0].project, role=Role.REVIEWER).user
    browser, api = browser_of(reviewer), api_of(reviewer)

    page = browser.get("/projects/ti/releases/0.2.0/changes/")
    first = browser.get("/projects/ti/releases/0.1.0/changes/")
    found = api.get("/api/v1/releases/ti/0.2.0/diff/0.1.0/")
    refused = api.get("/api/v1/releases/ti/0.1.0/diff/0.2.0/")
    unknown = api.get("/api/v1/releases/ti/0.2.0/diff/9.0.0/")

    assert "s0/0" in page.content.decode()
    assert "There is no earlier release" in first.content.decode()
    body = found.json()
    assert (body["before"], body["after"], body["counts"]) == ("0.1.0", "0.2.0", COUNTS)
    assert body["key"][0] == {"uid": "s0/0", "subject": "s0", "before": "A", "after": "C"}
    assert body["text"][0]["parts"][0][1] == ["ins", "གསར།"]
    assert api.get("/api/v1/releases/ti/0.2.0/diff/source/").json()["counts"]["key"] == 2
    source = browser.get("/projects/ti/releases/0.2.0/changes/?since=source")
    assert "Since the source" in source.content.decode()
    file = browser.get("/projects/ti/releases/0.2.0/changes/markdown/?since=0.1.0")
    assert file.content.decode().startswith("# Changes in 0.2.0 since 0.1.0")
    assert browser.get("/projects/ti/releases/0.1.0/changes/markdown/").status_code == 404
    assert (refused.status_code, refused.json()["code"]) == (404, "no_earlier_release")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "no_earlier_release")
    assert browser.get("/projects/ti/releases/0.2.0/changes/?since=9.0.0").status_code == 404


def test_changed_parts_of_an_item_that_asks_for_a_translation_are_in_its_languages(
    project: Project,
) -> None:
    fill(project, subjects=1, tests=2, devs=0)
    item = Item.objects.get(project=project, uid="s0/0")
    Item.objects.filter(pk=item.pk).update(
        kind=ItemKind.TRANSLATION, key="", options=[], metadata={"direction": "ug-zh"}
    )
    Revision.objects.filter(translation__item=item).update(options=[], answer="天气很好")
    before = build_published(project, "0.1.0")
    for uid in ("s0/0", "s0/1"):
        rewrite(project, uid)
    after = build_published(project, "0.2.0")

    changed = difference(before, after, shows_hidden=True).text

    assert [[code for code, _part in row.parts_in_languages] for row in changed] == [
        ["ug", "zh"],
        [""] * len(changed[1].parts),
    ]
