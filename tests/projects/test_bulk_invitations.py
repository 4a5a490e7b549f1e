"""Inviting many people at once, by page, API and command."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import deactivate_account
from accounts.models import User
from projects import actions
from projects.actions import bulk_invitations
from projects.enums import Role
from projects.models import Membership, Project
from tests.factories import SubjectFactory, UserFactory

Members = Callable[..., User]
URL = "/projects/ti/members/invite-many/"
LINES = [
    "lhamo@example.org",
    "",
    "Tashi Tsering <Tashi@example.org>, pema@example.org",
    "LHAMO@example.org",
    "no address",
    "old@example.org",
    "gone@example.org",
]
OUTCOMES = [
    (1, "lhamo@example.org", "invited", None),
    (3, "Tashi Tsering <Tashi@example.org>", "invited", None),
    (3, "pema@example.org", "added", None),
    (4, "LHAMO@example.org", "refused", "listed_twice"),
    (5, "no address", "refused", "address_invalid"),
    (6, "old@example.org", "refused", "already_member"),
    (7, "gone@example.org", "refused", "account_deactivated"),
]


@pytest.fixture
def manager(member: Members) -> User:
    member(email="old@example.org")
    gone = UserFactory(email="gone@example.org")
    deactivate_account(user=gone, actor=None, now=timezone.now())
    UserFactory(email="pema@example.org")
    return member(Role.MANAGER, email="manager@example.org")


def invite(project: Project, lines: list[str], **changes: Any) -> list[actions.InvitedLine]:
    fields = {"role": Role.REVIEWER, "languages": ["bo"], "subjects": [], "actor": None}
    return actions.invite_members(
        project=project, lines=lines, now=timezone.now(), **(fields | changes)
    )


def test_each_line_is_invited_added_or_refused_on_its_own(project: Project, manager: User) -> None:
    subject = SubjectFactory(project=project)

    results = invite(project, LINES, subjects=[subject], actor=manager)

    codes = [(r.number, r.text, r.result, r.refusal and r.refusal.code) for r in results]
    assert codes == OUTCOMES
    new = Membership.objects.get(user__email="tashi@example.org")
    assert (new.user.name, new.role, new.languages) == ("Tashi Tsering", "reviewer", ["bo"])
    assert list(new.subjects.all()) == [subject]


def test_same_list_again_refuses_who_is_in_by_now(project: Project, manager: User) -> None:
    invite(project, ["lhamo@example.org"])
    results = invite(project, ["lhamo@example.org", "tashi@example.org"])
    assert [line.result for line in results] == ["refused", "invited"]
    assert "is already invited to this project" in results[0].reason


@pytest.mark.parametrize(
    ("line", "people"),
    [
        ("a@example.org b@example.org", 2),
        ("a@example.org;b@example.org\tc@example.org", 3),
        ("Tashi <a@example.org>; Pema <b@example.org>", 2),
        (" , ; ", 0),
        ("a\0b@example.org", 1),
    ],
)
def test_several_people_may_stand_on_one_line(line: str, people: int) -> None:
    assert len(list(bulk_invitations._people([line]))) == people


@pytest.mark.parametrize(
    ("lines", "changes", "refusal"),
    [
        (["", " "], {}, actions.NobodyListed),
        ([f"p{n}@example.org" for n in range(201)], {}, actions.TooManyPeople),
        (["lhamo@example.org"], {"role": "boss"}, actions.RoleUnknown),
        (["lhamo@example.org"], {"languages": ["!"]}, actions.LanguageInvalid),
    ],
)
def test_list_that_cannot_be_taken_invites_nobody(
    project: Project, lines: list[str], changes: dict[str, Any], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        invite(project, lines, **changes)
    assert not User.objects.exists()


def test_page_says_what_became_of_each_line_and_keeps_the_refused_ones(
    project: Project, manager: User, browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(manager)
    assert b"Invite many people" in browser.get("/projects/ti/members/invite/").content
    fields = {"people": "\n".join(LINES), "role": "senior", "languages": "bo"}

    page = browser.post(URL, fields)

    text = page.content.decode()
    assert page.status_code == 200
    assert [line.result for line in page.context["results"]] == [row[2] for row in OUTCOMES]
    assert "LHAMO@example.org\nno address\nold@example.org\ngone@example.org</textarea>" in text
    assert page.context["form"].initial["role"] == "senior"
    links = page.context["links"].splitlines()
    assert [link.split()[0] for link in links] == ["lhamo@example.org", "tashi@example.org"]
    assert Client().get(links[0].split(":8000")[1]).status_code == 200
    empty = browser.post(URL, fields | {"people": " ;"})
    assert (empty.status_code, b"The list is empty" in empty.content) == (400, True)


def test_api_invites_a_list(
    project: Project, manager: User, api_of: Callable[[User], APIClient]
) -> None:
    url = "/api/v1/projects/ti/members/invitations/"
    api = api_of(manager)

    answer = api.post(url, {"people": LINES, "role": "reviewer"})

    rows = answer.json()["results"]
    assert answer.status_code == 200
    assert [(r["line"], r["person"], r["result"], r["code"]) for r in rows] == OUTCOMES
    assert "/accounts/invitations/" in rows[0]["invitation_url"]
    assert rows[4]["reason"] == "This is not an e-mail address."
    assert Membership.objects.get(pk=rows[0]["member"]).user.email == "lhamo@example.org"
    refused = api.post(url, {"people": [], "role": "reviewer"})
    assert (refused.status_code, refused.json()["code"]) == (400, "nobody_listed")


def test_command_reads_a_file_and_ends_with_1_if_a_line_is_refused(
    project: Project, manager: User, tmp_path: Path
) -> None:
    path, out = tmp_path / "people.txt", StringIO()
    path.write_bytes(b"lhamo@example.org\n\xff@example.org\n")

    with pytest.raises(SystemExit) as end:
        call_command("invite_members", "ti", str(path), "--json", stdout=out)

    rows = json.loads(out.getvalue())["results"]
    assert (end.value.code, [row["result"] for row in rows]) == (1, ["invited", "refused"])
    place = Membership.objects.get(user__email="lhamo@example.org")
    path_of_link = rows[0]["link"].split(":8000")[1]
    assert Client().get(path_of_link).status_code == 200
    assert place.role == "reviewer"
