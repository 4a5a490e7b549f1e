"""What changed between two public releases, without an account: as a page, Markdown and JSON."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item
from projects.enums import Role
from projects.models import Project
from releases.changes.public import PublicPair
from releases.models import Release
from releases.publishing.actions import yank_release
from releases.publishing.audience import show_to_everybody, show_to_members
from tests.factories import MembershipFactory, ProjectFactory, UserFactory
from tests.releases.builders import NOW, build_published, built_once, fill
from tests.releases.changes.test_differences import COUNTS, two_releases

pytestmark = pytest.mark.django_db

HERE = "/releases/ti/0.2.0/changes/"
MARKDOWN = f"{HERE}markdown/"
JSON = "/api/v1/releases/ti/0.2.0/diff/0.1.0/"
FORMS = (HERE, MARKDOWN, JSON)

Member = Callable[..., User]


def make_releases() -> tuple[Release, Release]:
    """Two releases that everybody sees, between which something of each kind changed."""
    both = two_releases()
    for release in both:
        show_to_everybody(release=release, actor=None, now=NOW)
    return both


built = built_once(make_releases)


@pytest.fixture
def releases(release: tuple[Release, Release]) -> tuple[Release, Release]:
    return release


@pytest.fixture
def project(releases: tuple[Release, Release]) -> Project:
    return releases[0].project


@pytest.mark.parametrize("client", [Client, APIClient], ids=["pages", "api"])
def test_json_tells_a_visitor_what_changed(
    releases: tuple[Release, Release], client: type[Client]
) -> None:
    found = client().get(JSON).json()
    assert (found["before"], found["after"], found["counts"]) == ("0.1.0", "0.2.0", COUNTS)
    assert found["key"][0] == {"uid": "s0/0", "subject": "s0", "before": "A", "after": "C"}


def test_markdown_tells_a_visitor_what_changed_and_carries_the_canary(
    releases: tuple[Release, Release],
) -> None:
    response = Client().get(f"{MARKDOWN}?since=0.1.0")
    text = response.content.decode()
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert 'filename="ti-0.1.0-0.2.0.md"' in response["Content-Disposition"]
    assert text.startswith("# Changes in 0.2.0 since 0.1.0\n")
    assert "| s0/0 | A | C |" in text
    assert "canary" in text.rpartition("## Canary")[2]
    assert Client().get(MARKDOWN).content == response.content


def test_page_links_to_both(releases: tuple[Release, Release]) -> None:
    links = re.findall(r'href="([^"]+)"', Client().get(HERE).content.decode())
    assert {f"{MARKDOWN}?since=0.1.0", JSON} <= set(links)
    for link in (f"{MARKDOWN}?since=0.1.0", JSON):
        assert Client().get(link).status_code == 200


def test_answer_is_kept_by_a_tag_of_its_own_and_kept_out_of_search(
    releases: tuple[Release, Release],
) -> None:
    tags = set()
    for address in FORMS:
        first = Client().get(address)
        assert first["Cache-Control"] == "public, max-age=60"
        assert "noindex" in first["X-Robots-Tag"]
        assert not first.cookies
        with CaptureQueriesContext(connection) as asked:
            again = Client().get(address, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert len(asked) <= 3
        tags.add(first["ETag"])
    assert len(tags) == 3
    assert "Authorization" in first["Vary"], "JSON may not stand for that of a member"


def test_page_that_was_kept_is_made_anew_when_the_release_is_yanked(
    releases: tuple[Release, Release],
) -> None:
    first = Client().get(HERE)
    yank_release(release=releases[1], reason="Wrong.", actor=None, now=NOW)
    again = Client().get(HERE, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 200
    assert "Wrong." in again.content.decode()


def test_release_for_members_tells_visitors_nothing(releases: tuple[Release, Release]) -> None:
    show_to_members(release=releases[1], actor=None, now=NOW)
    assert [Client().get(address).status_code for address in FORMS] == [404, 404, 401]


def test_nothing_is_compared_with_what_is_not_public(releases: tuple[Release, Release]) -> None:
    show_to_members(release=releases[0], actor=None, now=NOW)
    for since in ("0.1.0", "source", "0.2.0", "9.9.9"):
        for address in (f"{HERE}?since={since}", f"{MARKDOWN}?since={since}"):
            assert Client().get(address).status_code == 404, address
        refused = Client().get(f"/api/v1/releases/ti/0.2.0/diff/{since}/")
        assert (refused.status_code, refused.json()["code"]) == (404, "no_earlier_release"), since


def test_source_is_for_members(
    releases: tuple[Release, Release], member: Member, api_of: Callable[[User], APIClient]
) -> None:
    address = "/api/v1/releases/ti/0.2.0/diff/source/"
    told = api_of(member(Role.VIEWER)).get(address)
    assert (told.status_code, told.json()["counts"]["key"]) == (200, 2)
    assert "public" not in told["Cache-Control"]
    assert api_of(UserFactory()).get(address).status_code == 404
    assert api_of(UserFactory()).get(JSON).status_code == 200


def test_manager_alone_is_told_of_hidden_items(api_of: Callable[[User], APIClient]) -> None:
    project = ProjectFactory(slug="part")
    fill(project, tests=4)
    rows = [build_published(project, black_box_share=1.0)]
    Item.objects.filter(project=project, uid="s0/0").update(key="D")
    rows.append(build_published(project, "0.2.0", black_box_share=1.0))
    for release in rows:
        show_to_everybody(release=release, actor=None, now=NOW)
    members = [MembershipFactory(project=project, role=role) for role in ("viewer", "manager")]
    clients = [Client(), *(api_of(member.user) for member in members)]
    told = [client.get(JSON.replace("/ti/", "/part/")).json() for client in clients]
    assert [(each["counts"]["key"], each["hidden"]["key"]) for each in told] == [
        (1, 1), (1, 1), (1, 0),
    ]  # fmt: skip
    assert [each["key"] for each in told[:2]] == [[], []]
    assert told[2]["key"][0]["uid"] == "s0/0"
    text = Client().get(MARKDOWN.replace("/ti/", "/part/")).content.decode()
    assert "- Keys changed: 1, 1 of them hidden\n" in text
    assert "s0/0" not in text


def test_long_lists_are_cut_and_say_so(
    releases: tuple[Release, Release], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PublicPair.difference, "__kwdefaults__", {"most": 1})
    text = Client().get(MARKDOWN).content.decode()
    assert "1 more are not listed here." in text
    assert len(Client().get(JSON).json()["key"]) == 1


def test_page_names_subjects_as_the_later_release_does(
    releases: tuple[Release, Release],
) -> None:
    before, after = releases
    before.subjects.filter(slug="s0").update(name="Medicine")
    after.subjects.filter(slug="s0").update(name="Tibetan medicine")

    page = Client().get(HERE).content.decode()

    assert "<td>Tibetan medicine</td>" in page
    assert "<td>s0</td>" not in page
