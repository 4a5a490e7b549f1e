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
from annotation.enums import PairState, SplitName
from annotation.items.keys import correct_key
from annotation.models import Item
from projects.enums import Role
from projects.models import Project, Source, Subject
from releases.models import Release, ReleaseDetails
from releases.readiness.report import readiness
from tests.factories import make_duplicate_pair
from tests.releases.builders import (
    NOW,
    add_dispute,
    add_error,
    add_pair,
    build,
    build_published,
    fill,
    make_approved,
)

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


def test_duplicates_in_dev_and_test_block_and_others_can_be_waived(project: Project) -> None:
    fill(project, devs=5)
    item = {row.uid: row for row in Item.objects.all()}
    make_duplicate_pair(item["s0/0"], item["s0/dev-0"], crosses_splits=True)
    make_duplicate_pair(item["s1/0"], item["s1/1"])
    found = readiness(project)
    assert [(each.code, each.count, each.can_waive) for each in found.blocking] == [
        ("duplicates_across", 1, False),
        ("open_duplicates", 2, True),
    ]
    assert "s1/0 ~ s1/1" in found.blocking[1].items
    assert (found.is_ready, found.can_be_built, found.warnings) == (False, False, ())


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
        ("licences_differ", ("B: MIT", "CMMLU: CC-BY-NC-4.0")),
    ]
    assert "cc-by-nc-4.0" in str(found.warnings[1].words)


def with_licences(project: Project, **licences: str) -> None:
    for name, licence in licences.items():
        Source.objects.create(
            project=project, name=name, licence=licence, checksum="0" * 64, created_at=NOW
        )


@pytest.mark.parametrize(
    ("chosen", "other", "blocked"),
    [
        ("", "CC-BY-SA-4.0", ("CMMLU: CC-BY-NC-4.0", "Z: CC-BY-SA-4.0")),
        ("MIT", "MIT", ("CMMLU: CC-BY-NC-4.0",)),
        ("cc by-nc-sa 4.0", "CC-BY-NC-SA-3.0", ()),
        ("CC-BY-NC-4.0", "GPL-3.0-only", ("Z: GPL-3.0-only",)),
        ("CC-BY-NC-4.0", "Their own", ()),
    ],
)
def test_licences_at_odds_block(
    project: Project, chosen: str, other: str, blocked: tuple[str, ...]
) -> None:
    fill(project, devs=5)
    with_licences(project, Z=other)
    ReleaseDetails.objects.create(project=project, licence=chosen)
    found = readiness(project)
    assert [(each.code, each.items) for each in found.blocking] == (
        [("licence_conflict", blocked)] if blocked else []
    )
    assert found.can_be_built


def test_licence_without_id_or_link_warns(project: Project) -> None:
    fill(project, devs=5)
    with_licences(project, Z="Their own")
    assert [(each.code, each.items) for each in readiness(project).warnings] == [
        ("licence_unknown", ("Z: Their own",)),
        ("licences_differ", ("CMMLU: CC-BY-NC-4.0", "Z: Their own")),
    ]


def test_categories_that_differ_in_letter_case_only_warn(project: Project) -> None:
    fill(project, devs=5)
    Subject.objects.filter(slug="s1").update(category="science ")
    assert [(each.code, each.items) for each in readiness(project).warnings] == [
        ("wrong_category", ("Science ~ science ",))
    ]


def test_pair_that_the_latest_release_parts_warns(project: Project) -> None:
    fill(project, subjects=1, tests=4, devs=5)
    release = build_published(project, black_box_share=0.25)
    hidden = release.items.get(subset="black-box").item
    shown = release.items.filter(subset="open", split="test").first().item
    add_pair(hidden, shown, PairState.DUPLICATE)
    codes = [each.code for each in readiness(project, black_box_share=0.0).warnings]
    assert codes == ["leaks_in_latest"]


def test_each_matter_says_who_can_act_on_it(project: Project, member: Callable[..., User]) -> None:
    fill(project, devs=5)
    add_error(Item.objects.get(uid="s0/3"))
    member(Role.REVIEWER, name="Pema")
    member(Role.SENIOR, name="Sonam")
    member(Role.MANAGER, name="Dolma")
    [matter] = readiness(project).blocking
    assert matter.people == ("Sonam", "Dolma")


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
    assert 'name="waive_open_errors"' in page
    assert '<button class="btn primary" disabled>' not in page
    add_dispute(Item.objects.get(uid="s0/4"))
    page = client.get(f"/projects/{project.slug}/releases/build/").content.decode()
    assert '<button class="btn primary" disabled>' in page
    assert not Release.objects.exists()
