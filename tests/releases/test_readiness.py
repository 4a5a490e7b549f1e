"""What blocks a release, what warns, and the version that fits."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import SplitName
from annotation.items.keys import correct_key
from annotation.models import Item
from projects.enums import Role
from projects.models import Project, Source, Subject
from releases.models import Release
from releases.readiness import readiness
from tests.factories import make_duplicate_pair
from tests.releases.builders import NOW, add_error, build, build_published, fill, make_approved

pytestmark = pytest.mark.django_db


def codes(project: Project) -> tuple[list[str], list[str]]:
    found = readiness(project)
    return [each.code for each in found.blocking], [each.code for each in found.warnings]


def test_project_without_approved_items_is_blocked(project: Project) -> None:
    assert codes(project) == (["nothing_approved"], [])


def test_project_with_everything_is_ready(project: Project) -> None:
    fill(project, devs=5)
    found = readiness(project)
    assert (found.is_ready, found.warnings, found.proposed_version) == (True, (), "0.1.0")


def test_error_in_an_approved_text_blocks_and_names_the_item(project: Project) -> None:
    fill(project, devs=5)
    add_error(Item.objects.get(uid="s0/3"))
    [matter] = readiness(project).blocking
    assert (matter.code, matter.items) == ("open_errors", ("s0/3",))


def test_key_that_names_no_option_blocks(project: Project) -> None:
    fill(project, devs=5)
    Item.objects.filter(uid="s1/0").update(key="F")
    [matter] = readiness(project).blocking
    assert (matter.code, matter.items) == ("items_unfit", ("s1/0",))


def test_duplicates_in_dev_and_test_block_and_others_warn(project: Project) -> None:
    fill(project, devs=5)
    item = {row.uid: row for row in Item.objects.all()}
    make_duplicate_pair(item["s0/0"], item["s0/dev-0"], crosses_splits=True)
    make_duplicate_pair(item["s1/0"], item["s1/1"])
    found = readiness(project)
    assert [(each.code, each.count) for each in found.blocking] == [("duplicates_across", 1)]
    assert [each.code for each in found.warnings] == ["open_duplicates"]
    assert "s1/0 ~ s1/1" in found.warnings[0].items


def test_too_few_dev_items_and_missing_categories_warn(project: Project) -> None:
    fill(project, devs=4)
    Subject.objects.filter(slug="s1").update(category="")
    found = readiness(project)
    assert found.is_ready
    assert [(each.code, each.items) for each in found.warnings] == [
        ("missing_dev", ("s0", "s1")),
        ("missing_category", ("s1",)),
    ]


def test_sources_without_or_with_different_licences_warn(project: Project) -> None:
    fill(project, devs=5)
    for name, licence in (("B", "MIT"), ("C", "")):
        Source.objects.create(
            project=project, name=name, licence=licence, checksum="0" * 64, created_at=NOW
        )
    found = readiness(project)
    assert [(each.code, each.items) for each in found.warnings] == [
        ("licence_missing", ("C",)),
        ("licence_conflict", ("B: MIT", "CMMLU: CC-BY-NC-4.0")),
    ]


def excluded(project: Project) -> None:
    Item.objects.filter(uid="s0/1").update(state="excluded")


def with_another_key(project: Project) -> None:
    item = Item.objects.select_related("project").get(project=project, uid="s0/0")
    correct_key(item=item, key="C", reason="the law says so", actor=None, now=NOW)


def in_another_split(_project: Project) -> None:
    Item.objects.filter(uid="s0/0").update(split=SplitName.DEV)


def with_a_new_item(project: Project) -> None:
    first = Item.objects.get(uid="s0/0")
    make_approved(project, uid="s0/new", subject=first.subject, source=first.source)


@pytest.mark.parametrize(
    ("published", "change", "proposed"),
    [
        ("1.2.3", lambda _project: None, "1.2.4"),
        ("1.2.3", with_a_new_item, "1.3.0"),
        ("1.2.3", excluded, "2.0.0"),
        ("1.2.3", with_another_key, "2.0.0"),
        ("1.2.3", in_another_split, "2.0.0"),
        ("0.2.3", excluded, "0.3.0"),
        ("2.0.0-rc.1", excluded, "2.0.0"),
    ],
)
def test_version_follows_the_change(
    project: Project, published: str, change: Callable[[Project], None], proposed: str
) -> None:
    fill(project, devs=5)
    build_published(project, published)
    change(project)
    assert readiness(project).proposed_version == proposed


def test_version_is_above_those_that_are_not_published(project: Project) -> None:
    fill(project, devs=5)
    build(project, "3.0.0")
    assert readiness(project).proposed_version == "3.1.0"


def test_command_says_what_blocks_and_exits_with_1(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(project, devs=5)
    add_error(Item.objects.get(uid="s0/3"))
    with pytest.raises(SystemExit) as ended:
        call_command("check_release", project.slug, "--json")
    assert ended.value.code == 1
    told = json.loads(capsys.readouterr().out)
    assert [(each["code"], each["count"], each["items"]) for each in told["blocking"]] == [
        ("open_errors", 1, ["s0/3"])
    ]
    assert (told["warnings"], told["proposed_version"]) == ([], "0.1.0")


def test_command_in_words(project: Project) -> None:
    fill(project, devs=4)
    out = StringIO()
    call_command("check_release", project.slug, stdout=out)
    assert "Subjects with fewer than five dev items" in out.getvalue()
    assert "0.1.0" in out.getvalue()


def test_api_and_page_say_the_same_to_managers(
    project: Project,
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    client: Client,
) -> None:
    fill(project, devs=5)
    add_error(Item.objects.get(uid="s0/3"))
    manager = member(Role.MANAGER)
    answer: Any = api_of(manager).get(f"/api/v1/projects/{project.slug}/readiness/").json()
    assert answer == json.loads(json.dumps(readiness(project).as_json()))
    client.force_login(manager)
    page = client.get(f"/projects/{project.slug}/releases/build/").content.decode()
    assert "Approved items whose text has an error." in page
    assert "disabled" in page
    assert not Release.objects.exists()
