"""What releases answer to pages and to evaluation, and what it costs."""

import pytest
from pytest_django import DjangoAssertNumQueries

from annotation.enums import ItemKind, SplitName
from annotation.models import Item
from projects.models import Project
from releases.building.previews import build_preview
from releases.building.queries import chosen_texts
from releases.files import content
from releases.files.content import hidden_items, open_items
from releases.models import Release
from releases.queries import release_items
from releases.readiness.queries import unfit_uids
from releases.splits import SplitRule
from tests.factories import ProjectFactory
from tests.releases.builders import build, build_published, fill

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_streams_of_a_release_cost_the_same_for_one_item_and_for_many(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for slug, tests in (("one", 1), ("many", 7)):
        other = ProjectFactory(slug=slug)
        fill(other, subjects=2, tests=tests)
        release = Release.objects.select_related("project").get(pk=build(other).pk)
        with django_assert_num_queries(4):  # the subjects and a page of items, for each stream
            opened = list(open_items(release))
            hidden = list(hidden_items(release))
        assert (len(opened), len(hidden)) == (2 * tests + 6, 0)


def test_streams_of_a_release_give_each_row_once_whatever_the_size_of_a_page(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project, subjects=2, tests=4, devs=1)
    release = build(project, black_box_share=0.5)

    def streams() -> list[list[object]]:
        return [list(stream(release)) for stream in (open_items, hidden_items)]

    whole = streams()
    for rows in (1, 2, 3):
        monkeypatch.setattr(content, "PAGE", rows)
        assert streams() == whole
    assert [len(items) for items in whole] == [6, 4]


def test_each_text_has_the_id_key_and_revision_of_its_item(project: Project) -> None:
    fill(project, subjects=2, tests=4, devs=1)
    items = Item.objects.filter(project=project)
    items.filter(uid__in=["s0/1", "s1/2"]).update(key="C")
    items.filter(uid="s0/2").update(level="hard")
    items.filter(uid="s1/0").update(kind=ItemKind.NUMBER, key="3.5")  # though it has options

    found = chosen_texts(project)

    current = "working_translation__current_revision_id"
    columns = ("uid", "subject__slug", "pk", current, "key", "level", "kind")
    told = [
        (text.uid, text.subject, text.item_id, text.revision_id, text.key, text.level, text.kind)
        for text in found
    ]
    assert sorted(told) == sorted(items.values_list(*columns))
    assert len(told) == 10
    assert sorted(text.uid for text in found if text.is_dev) == ["s0/dev-0", "s1/dev-0"]
    assert unfit_uids(project) == ("s1/0",)


def test_release_items_come_in_order_with_all_that_evaluation_needs(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    fill(project, subjects=2, tests=2, devs=1)
    release = build(project)
    with django_assert_num_queries(1):
        rows = [
            (placed.uid, placed.subject.slug, placed.revision.question[:3])
            for placed in release_items(release)
        ]
    assert [uid for uid, _subject, _text in rows] == [
        "s0/dev-0",
        "s0/0",
        "s0/1",
        "s1/dev-0",
        "s1/0",
        "s1/1",
    ]


@pytest.mark.parametrize("rule", [SplitRule(5, 0.0, 0), SplitRule(1, 0.3, 4)])
def test_build_preview_promises_what_the_build_holds(project: Project, rule: SplitRule) -> None:
    fill(project, subjects=3, tests=7, devs=2)
    build_published(project, "0.1.0", black_box_share=0.1)
    preview = build_preview(project, rule)
    release = build(
        project,
        "0.2.0",
        dev_per_subject=rule.dev_per_subject,
        black_box_share=rule.black_box_share,
        seed=rule.seed,
    )
    assert (preview.test, preview.dev, preview.black_box) == (
        release.counts["test"],
        release.counts["dev"],
        release.counts["black_box"],
    )
    assert preview.approved == 27


def test_build_of_dev_items_keeps_the_order_of_uids(project: Project) -> None:
    fill(project, subjects=1, tests=1, devs=12)
    release = build(project, dev_per_subject=11)
    devs = release_items(release).filter(split=SplitName.DEV)
    assert [placed.uid for placed in devs] == [f"s0/dev-{number}" for number in range(11)]
