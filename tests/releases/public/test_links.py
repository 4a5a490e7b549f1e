"""The pages of a release lead to its leaderboard and to where answers are sent, as far as the reader may go."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from releases.enums import HiddenPart, ReleaseState
from releases.models import Release
from releases.publishing.audience import show_to_everybody
from tests.factories import ProjectFactory
from tests.releases.builders import NOW, build_published, built_once, fill
from tests.submissions.builders import take_submissions

pytestmark = pytest.mark.django_db
BOARD, SEND = "/boards/ti/0.1.0/", "/submit/ti/0.1.0/"
PUBLIC, VERSIONS, OURS = "/releases/ti/0.1.0/", "/releases/ti/", "/projects/ti/releases/0.1.0/"


def published(project: Project, version: str) -> Release:
    hidden = {"black_box_share": 0.5, "hidden_part": HiddenPart.WITHHELD}
    release = build_published(project, version, formats=("jsonl",), **hidden)
    show_to_everybody(release=release, actor=None, now=NOW)
    release.refresh_from_db()
    return release


def make_release() -> Release:
    project = ProjectFactory(slug="ti", name="Ti")
    fill(project)
    return published(project, "0.1.0")


built = built_once(make_release)


@pytest.fixture
def project(release: Release, db: None) -> Project:
    return release.project


def led_to(address: str, client: Client | None = None) -> list[str]:
    answer = (client or Client()).get(address)
    assert answer.status_code == 200
    page = answer.content.decode()
    return [link for link in (BOARD, SEND) if f'class="btn" href="{link}"' in page]


def test_public_pages_lead_only_where_everybody_may_go(project: Project) -> None:
    for rules, there in (
        ({"is_open": False}, []),
        ({}, [SEND]),
        ({"is_board_public": True}, [BOARD, SEND]),
        ({"is_board_public": True, "is_open": False}, [BOARD]),
    ):
        take_submissions(project, **rules)
        assert led_to(PUBLIC) == led_to(VERSIONS) == there, rules


@pytest.mark.parametrize("address", [PUBLIC, VERSIONS])
def test_who_kept_a_public_page_is_sent_another_once_it_leads_elsewhere(
    project: Project, address: str
) -> None:
    tag = {"If-None-Match": Client().get(address)["ETag"]}
    assert Client().get(address, headers=tag).status_code == 304
    take_submissions(project, is_board_public=True)
    assert Client().get(address, headers=tag).status_code == 200


def test_member_is_led_to_a_board_that_is_not_public(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    """Also where nobody may send anything, as where a release has only an arena."""
    viewer = browser_of(member(Role.VIEWER))
    assert led_to(OURS, viewer) == [BOARD]
    assert viewer.get(BOARD).status_code == 200
    take_submissions(project)
    assert led_to(OURS, viewer) == [BOARD, SEND]


def test_answers_are_sent_to_the_latest_version_alone(project: Project) -> None:
    take_submissions(project)
    published(project, "0.2.0")
    assert led_to(PUBLIC) == []
    assert "/submit/ti/0.2.0/" in Client().get(VERSIONS).content.decode()


def test_release_that_is_not_published_has_no_board(
    release: Release,
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    take_submissions(project)
    rows = Release.objects.filter(pk=release.pk)
    rows.update(state=ReleaseState.BUILT, published_at=None, is_for_everybody=False)
    manager = browser_of(member(Role.MANAGER))
    assert led_to(OURS, manager) == []
    assert manager.get(BOARD).status_code == 404
