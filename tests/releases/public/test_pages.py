"""Public pages: shown when a manager says so, kept by tag, the same cost at any size."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Revision
from projects.enums import Role
from projects.models import Project
from releases.models import Release, ReleaseItem
from releases.public.charts import charts_of
from releases.publishing.actions import yank_release
from releases.publishing.audience import NotPublished, show_to_everybody, show_to_members
from releases.queries import example_item
from tests.factories import ProjectFactory, ReleaseFactory
from tests.markup import marks_of
from tests.releases.builders import NOW, build, build_published, built_once, fill

pytestmark = pytest.mark.django_db

HERE = "/releases/ti/0.1.0/"
PAGES = ("", "files/", "items/", "items/s0/0/", "report/", "report/sent/", "files/manifest.json")


def published(project: Project, version: str = "0.1.0", **parameters: Any) -> Release:
    """A release that everybody sees."""
    release = build_published(project, version, **parameters)
    show_to_everybody(release=release, actor=None, now=NOW)
    release.refresh_from_db()
    return release


def make_release() -> Release:
    project = ProjectFactory(slug="ti", name="Ti")
    fill(project)
    return published(project)


built = built_once(make_release)


@pytest.fixture
def project(release: Release, db: None) -> Project:
    return release.project


def page(address: str = HERE) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def queries_of(address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as found:
        assert Client().get(address).status_code == 200
    return len(found)


# Who sees what


def statuses() -> set[int]:
    """How the pages of the release are answered."""
    return {Client().get(HERE + tail).status_code for tail in PAGES}


def test_release_for_everybody_needs_no_account_and_is_gone_once_taken_back(
    release: Release,
) -> None:
    assert statuses() == {200}
    assert "/releases/ti/" in page("/releases/").partition("<main")[2]
    show_to_members(release=release, actor=None, now=NOW)
    assert statuses() == {404}
    assert Client().get("/releases/ti/").status_code == 404
    assert "/releases/ti/" not in page("/releases/").partition("<main")[2]


def test_only_a_published_release_is_shown_to_everybody(project: Project) -> None:
    release = build(project, "0.2.0")
    with pytest.raises(NotPublished):
        show_to_everybody(release=release, actor=None, now=NOW)


def test_index_shows_projects_by_their_latest_public_release(project: Project) -> None:
    build_published(project, "0.2.0")
    ReleaseFactory(project=ProjectFactory(slug="other", name="Private"), published_at=NOW)
    shown = page("/releases/")
    assert "0.1.0" in shown
    assert "0.2.0" not in shown
    assert "Private" not in shown


def test_versions_are_listed_newest_first_without_those_for_members(project: Project) -> None:
    published(project, "0.9.0")
    published(project, "0.10.0")
    build_published(project, "0.11.0")
    shown = re.findall(r"<b>(0\.\d+\.0)</b>", page("/releases/ti/"))
    assert shown == ["0.10.0", "0.9.0", "0.1.0"]


# What a page says


def test_release_page_tells_card_loading_citation_and_checksums(release: Release) -> None:
    shown = page()
    for words in (
        "18 items", "How it was made", "http://testserver/releases/ti/0.1.0/files/jsonl/test/s0.jsonl",
        "cff-version: 1.2.0", "@misc{ti-0.1.0", "canary", 'rel="canonical"', 'name="description"',
    ):  # fmt: skip
        assert words in shown, words
    assert "csrf" not in shown


def test_release_without_rows_that_loaders_read_is_not_said_to_load(project: Project) -> None:
    for version, formats in (("0.2.0", ("cmmlu", "ti_mmlu")), ("0.3.0", ("csv",))):
        published(project, version, formats=formats)
    assert "load_dataset" not in page("/releases/ti/0.2.0/")
    assert "load_dataset" in page("/releases/ti/0.3.0/")


def test_release_page_describes_itself_to_search_engines(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(name="Ti </script><b>&")
    published(project, "0.2.0")
    shown = page("/releases/ti/0.2.0/")
    text = shown.partition('<script type="application/ld+json">')[2].partition("</script>")[0]
    told = json.loads(text)
    assert told["@type"] == "Dataset"
    assert told["name"] == "Ti </script><b>& 0.2.0"
    names = {file["name"] for file in told["distribution"]}
    assert {"ti-0.2.0.zip", "croissant.json", "README.md"} <= names


def test_yanked_release_says_why_and_names_the_newest_good_one(
    release: Release, project: Project
) -> None:
    published(project, "0.2.0")
    worst = published(project, "0.3.0")
    for bad in (release, worst):
        yank_release(release=bad, reason="Keys of s0 are wrong.", actor=None, now=NOW)
    for address in (HERE, "/releases/ti/0.3.0/"):
        shown = page(address)
        assert "Keys of s0 are wrong." in shown
        assert "Use 0.2.0 instead" in shown
    assert Client().get(f"{HERE}files/manifest.json").status_code == 200


def test_older_release_points_to_a_newer_one_and_says_what_changed(project: Project) -> None:
    published(project, "0.2.0")
    assert "Go to 0.2.0" in page()
    assert "Changes since 0.1.0" in page("/releases/ti/0.2.0/")
    assert "Since 0.1.0." in page("/releases/ti/0.2.0/changes/")
    assert Client().get(f"{HERE}changes/").status_code == 404
    assert Client().get("/releases/ti/0.2.0/changes/?since=source").status_code == 404


def test_link_to_changes_goes_to_the_version_that_they_were_counted_against(
    project: Project,
) -> None:
    between = build_published(project, "0.2.0")
    published(project, "0.3.0")
    show_to_everybody(release=between, actor=None, now=NOW)
    shown = page("/releases/ti/0.3.0/")
    assert "Changes since 0.1.0" in shown
    (link,) = re.findall(r'href="(/releases/ti/0.3.0/changes/[^"]*)"', shown)
    assert "Since 0.1.0." in page(link)


def test_difference_to_a_release_for_members_is_told_to_nobody(
    release: Release, project: Project
) -> None:
    show_to_members(release=release, actor=None, now=NOW)
    published(project, "0.2.0")
    assert "Changes since" not in page("/releases/ti/0.2.0/")
    assert Client().get("/releases/ti/0.2.0/changes/?since=0.1.0").status_code == 404


# Items


def test_items_are_found_by_subject_by_id_and_by_its_beginning(release: Release) -> None:
    def ids(query: str) -> list[str]:
        return re.findall(r"<code>(s[^<]*)</code>", page(f"{HERE}items/{query}"))

    assert ids("?subject=s1")[0] == "s1/dev-0"
    assert {each[:2] for each in ids("?subject=s1")} == {"s1"}
    assert ids("?id=s0/dev") == ["s0/dev-0", "s0/dev-1", "s0/dev-2"]
    assert ids("?id=nothing") == []
    whole = Client().get(f"{HERE}items/?id=s1/3")
    assert (whole.status_code, whole["Location"]) == (302, f"{HERE}items/s1/3/")


def test_item_page_has_its_text_key_neighbours_and_keeps_out_of_search(release: Release) -> None:
    response = Client().get(f"{HERE}items/s0/1/")
    shown = response.content.decode()
    assert ">འདྲི་བ་ s0/1 ག་རེ་རེད།</p" in shown, "white space beside it would be shown"
    assert f"{HERE}items/s0/0/" in shown
    assert f"{HERE}items/s0/2/" in shown
    assert "canary" in shown
    assert "noindex" in response["X-Robots-Tag"]


def test_item_of_a_project_in_one_language_is_shown_once(project: Project) -> None:
    assert page(f"{HERE}items/s0/1/").count('<ol class="options">') == 2
    Project.objects.update(source_language=project.target_language)
    assert page(f"{HERE}items/s0/1/").count('<ol class="options">') == 1


def test_hidden_items_are_not_there() -> None:
    project = ProjectFactory(slug="part", target_language="bo")
    fill(project)
    hidden = published(project, black_box_share=0.5).items.filter(subset="black-box")
    assert hidden
    items = "/releases/part/0.1.0/items/"
    for row in hidden:
        for name in (row.public_id, row.uid):
            assert Client().get(f"{items}{name}/").status_code == 404
    listed = page(items)
    assert not [row.uid for row in hidden if f">{row.uid}<" in listed]


# What it costs


def test_cost_does_not_grow_with_the_release(release: Release) -> None:
    tails = ["", "files/", "items/s0/0/", "items/?subject=s0"]
    small = {tail: queries_of(HERE + tail) for tail in tails}
    larger = ProjectFactory(slug="large", target_language="bo")
    fill(larger, subjects=3, tests=9, devs=2)
    published(larger)
    published(larger, "0.2.0")
    assert {tail: queries_of(f"/releases/large/0.2.0/{tail}") for tail in tails} == small
    assert max(small.values()) <= 5


def test_unchanged_page_is_answered_with_304_until_something_changes(release: Release) -> None:
    first = Client().get(HERE)
    assert "public" in first["Cache-Control"]
    assert first["Last-Modified"]
    assert not first.cookies
    again = Client().get(HERE, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    yank_release(release=release, reason="Wrong.", actor=None, now=NOW)
    assert Client().get(HERE, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_tag_is_another_in_another_language(release: Release) -> None:
    tags = {
        Client().get(HERE, headers={"Accept-Language": code})["ETag"] for code in ("en", "zh-Hans")
    }
    assert len(tags) == 2


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-3", 206, slice(0, 4)),
        ("bytes=5-", 206, slice(5, None)),
        ("bytes=-6", 206, slice(-6, None)),
        ("bytes=2-999999999", 206, slice(2, None)),
        ("bytes=0-1,4-5", 200, slice(None)),
        ("lines=1-2", 200, slice(None)),
        ("bytes=-", 200, slice(None)),
    ],
)
def test_download_gives_the_range_that_is_asked_for(
    release: Release, asked: str, status: int, part: slice
) -> None:
    whole = Client().get(f"{HERE}files/ledger.jsonl").getvalue()
    response = Client().get(f"{HERE}files/ledger.jsonl", headers={"Range": asked})
    body = response.getvalue()
    assert (response.status_code, body) == (status, whole[part])
    assert response["Content-Length"] == str(len(body))


def test_download_beyond_the_end_is_refused_and_an_old_tag_gets_the_whole(release: Release) -> None:
    address = f"{HERE}files/ledger.jsonl"
    whole = Client().get(address)
    size = len(whole.getvalue())
    beyond = Client().get(address, headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{size}")
    other = Client().get(address, headers={"Range": "bytes=0-3", "If-Range": '"old"'})
    assert (other.status_code, len(other.getvalue())) == (200, size)
    same = Client().get(address, headers={"If-None-Match": whole["ETag"]})
    assert same.status_code == 304


# The API


def test_api_reads_a_public_release_without_a_token(release: Release) -> None:
    show_to_members(release=release, actor=None, now=NOW)
    one = "/api/v1/releases/ti/0.1.0/"
    reads = [one, f"{one}manifest/", f"{one}artifacts/manifest.json"]
    before = [Client().get(address).status_code for address in reads]
    show_to_everybody(release=release, actor=None, now=NOW)
    after = [Client().get(address).status_code for address in reads]
    assert (before, after) == ([401] * 3, [200] * 3)


def test_agreement_below_zero_is_told_as_the_report_tells_it() -> None:
    stage = {"code": "alignment", "number": 1, "part": 1}
    kappa = {"value": -0.0317, "low": -0.06, "high": 0.6}
    quality = {"stages": [{"stage": stage, "fleiss_kappa": kappa}]}

    [chart] = charts_of(quality, [])

    assert [bar.text for bar in chart.chart.bars] == ["\N{MINUS SIGN}0.03"]


def test_pages_mark_each_text_of_an_item_that_asks_for_a_translation(
    project: Project, browser_of: Callable[[User], Client], member: Callable[..., User]
) -> None:
    placed = example_item(Release.objects.get(project=project))
    assert placed is not None
    Revision.objects.filter(pk=placed.revision_id).update(
        question="ھاۋا ياخشى", options=[], answer="天气很好"
    )
    ReleaseItem.objects.filter(pk=placed.pk).update(
        kind=ItemKind.TRANSLATION, key="", source_language="ug", target_language="zh"
    )
    own = browser_of(member(Role.MANAGER)).get("/projects/ti/releases/0.1.0/")

    for shown in (page(f"{HERE}items/{placed.public_id}/"), own.content.decode()):
        assert marks_of(shown, "ھاۋا ياخشى") == {("ug", "rtl")}
        assert marks_of(shown, "天气很好") == {("zh", "ltr")}
    assert marks_of(page(f"{HERE}items/"), "ھاۋا ياخشى") == {("ug", "rtl")}
    assert "ئۇيغۇرچە</span> → <span" in page(f"{HERE}items/{placed.public_id}/")
