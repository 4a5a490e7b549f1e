"""The API of public releases without an account, and of what a build would hold."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from releases.models import Release, ReleaseItem
from releases.problems.actions import Problem, accept_problem, report_problem
from releases.publishing.audience import show_to_everybody
from tests.releases.builders import build_published, fill

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Member = Callable[..., User]
ALL = "/api/v1/releases/"


def shown(project: Project, version: str) -> Release:
    release = build_published(project, version)
    show_to_everybody(release=release, actor=None, now=timezone.now())
    return release


def test_public_releases_are_listed_without_a_token(project: Project) -> None:
    fill(project, subjects=1, tests=1)
    anybody = APIClient()
    build_published(project, "0.1.0")
    none = anybody.get(ALL).json()["results"]
    missing = anybody.get(f"{ALL}ti/").status_code
    shown(project, "0.2.0")
    shown(project, "0.10.0")

    (listed,) = anybody.get(ALL).json()["results"]
    versions = anybody.get(f"{ALL}ti/").json()

    assert (none, missing) == ([], 404)
    assert (listed["project"], listed["name"], listed["version"]) == ("ti", project.name, "0.10.0")
    assert [row["version"] for row in versions] == ["0.10.0", "0.2.0"]


def test_errata_are_told_as_readers_see_them(project: Project) -> None:
    fill(project, subjects=1, tests=2)
    release, now = shown(project, "0.1.0"), timezone.now()
    placed = ReleaseItem.objects.filter(release=release).order_by("position").first()
    assert placed is not None
    problem = Problem(
        item=placed.public_id, kind="wrong_key", text="B is right.", contact="me@a.org"
    )
    report = report_problem(release=release, problem=problem, address="", now=now)
    before = APIClient().get(f"{ALL}ti/0.1.0/errata/").json()["results"]
    accept_problem(report=report, words="The key is B.", actor=None, now=now)

    (erratum,) = APIClient().get(f"{ALL}ti/0.1.0/errata/").json()["results"]

    assert before == []
    del erratum["decided_at"]
    assert erratum == {
        "item": placed.public_id,
        "kind": "wrong_key",
        "text": "The key is B.",
        "mended_in": None,
    }


@pytest.mark.parametrize("is_public", [True, False])
def test_changelog_is_the_file_of_the_page(
    project: Project, member: Member, api_of: Api, browser_of: Any, is_public: bool
) -> None:
    fill(project, subjects=1, tests=2)
    publish = shown if is_public else build_published
    publish(project, "0.1.0")
    publish(project, "0.2.0")
    reader = member(Role.VIEWER)
    clients: tuple[Any, Any] = (APIClient(), Client())
    api, browser = clients if is_public else (api_of(reader), browser_of(reader))
    place = "/releases/ti/0.2.0" if is_public else "/projects/ti/releases/0.2.0"

    page = browser.get(f"{place}/changes/markdown/")
    answer = api.get(f"{ALL}ti/0.2.0/diff/0.1.0/markdown/")

    assert (answer.status_code, answer.content) == (200, page.content)
    assert answer.headers["Content-Disposition"] == page.headers["Content-Disposition"]
    missing = api.get(f"{ALL}ti/0.2.0/diff/0.0.9/markdown/")
    assert (missing.status_code, missing.json()["code"]) == (404, "no_earlier_release")
    assert is_public or APIClient().get(f"{ALL}ti/0.2.0/diff/0.1.0/markdown/").status_code == 401


def test_preview_says_what_a_build_would_hold_and_builds_nothing(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project, subjects=2, tests=6, devs=3)
    api = api_of(member(Role.MANAGER))
    address = "/api/v1/projects/ti/releases/preview/"

    body = api.post(address, {"dev_per_subject": 2, "black_box_share": 0.5}, format="json").json()

    content = body["content"]
    counts = {name: content[name] for name in ("approved", "test", "dev", "black_box", "left_out")}
    assert counts == {"approved": 18, "test": 12, "dev": 4, "black_box": 6, "left_out": 2}
    assert [row["dev"] for row in content["subjects"]] == [2, 2]
    told = [each["code"] for each in body["readiness"]["warnings"]]
    general = api.get("/api/v1/projects/ti/readiness/").json()["warnings"]
    assert set(told) > {each["code"] for each in general}  # hiding half has a warning of its own
    assert not Release.objects.exists()
    refused = api.post(address, {"black_box_share": 2}, format="json")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["black_box_share"])


def test_problems_are_filtered_by_state(project: Project, member: Member, api_of: Api) -> None:
    fill(project, subjects=1, tests=1)
    release = shown(project, "0.1.0")
    placed = ReleaseItem.objects.filter(release=release).first()
    assert placed is not None
    problem = Problem(item=placed.public_id, kind="wrong_key", text="B is right.", contact="")
    report_problem(release=release, problem=problem, address="", now=timezone.now())
    api, address = api_of(member(Role.SENIOR)), "/api/v1/projects/ti/problems/"

    counts = [
        len(api.get(address, query).json()["results"])
        for query in ({}, {"state": "open"}, {"state": "accepted"})
    ]

    assert counts == [1, 1, 0]
    assert api.get(address, {"state": "nope"}).status_code == 400
