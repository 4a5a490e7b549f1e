"""Removing members, what stays of them, and how they come back."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import actions as accounts
from accounts.models import AuditEvent, User
from accounts.queries import open_invitations
from projects import actions
from projects.enums import Role
from projects.models import Membership, Project
from projects.queries import is_sole_in_role, roles_ever, sole_places_of
from tests.factories import MembershipFactory, SubjectFactory

Members = Callable[..., User]
Browsers = Callable[[User], Client]
Apis = Callable[[User], APIClient]


@pytest.fixture
def manager(member: Members) -> User:
    return member(Role.MANAGER, name="Manager", email="manager@example.org")


def place_of(user: User, project: Project) -> Membership:
    return Membership.objects.get(user=user, project=project)


def remove(user: User, project: Project, actor: User | None = None) -> actions.Removed:
    return actions.remove_member(
        membership=place_of(user, project), actor=actor, now=timezone.now()
    )


def invite(project: Project, actor: User | None, email: str = "lhamo@example.org") -> Any:
    return actions.add_member(
        project=project,
        email=email,
        name="Lhamo",
        role=Role.REVIEWER,
        languages=[],
        subjects=[],
        actor=actor,
        now=timezone.now(),
    )


def test_removed_member_is_a_stranger_on_the_next_request(
    project: Project, manager: User, member: Members, browser_of: Browsers, api_of: Apis
) -> None:
    person = member(Role.REVIEWER)
    browser, api = browser_of(person), api_of(person)
    assert browser.get("/projects/ti/").status_code == 200
    assert api.get("/api/v1/projects/ti/rounds/").status_code == 200

    remove(person, project, manager)

    assert browser.get("/projects/ti/").status_code == 404
    assert api.get("/api/v1/projects/ti/rounds/").status_code == 404
    assert b"You are not in a project yet" in browser.get("/").content


def test_new_role_counts_from_the_next_request(
    project: Project, manager: User, member: Members, browser_of: Browsers
) -> None:
    person = member(Role.VIEWER)
    browser = browser_of(person)
    assert browser.get("/projects/ti/items/").status_code == 403

    actions.grant_role(
        project=project, user=person, role=Role.REVIEWER, actor=manager, now=timezone.now()
    )

    assert browser.get("/projects/ti/items/").status_code == 200


def test_removal_records_what_the_person_was(
    project: Project, manager: User, member: Members
) -> None:
    person = member(Role.SENIOR, email="dolma@example.org")
    place = place_of(person, project)
    place.subjects.add(SubjectFactory(project=project, slug="law"))

    remove(person, project, manager)

    event = AuditEvent.objects.get(verb="member.removed", scope="ti")
    assert (event.actor, event.target) == (manager, f"membership:{place.pk}")
    assert event.data == {
        "person": person.pk,
        "email": "dolma@example.org",
        "role": "senior",
        "languages": [],
        "subjects": ["law"],
        "held_items": 0,
        "invitations": 0,
    }
    assert roles_ever(project) == {manager.pk: "manager", person.pk: "senior"}


def test_removing_twice_records_one_event(project: Project, manager: User, member: Members) -> None:
    place = place_of(member(), project)
    for _number in range(2):
        actions.remove_member(membership=place, actor=manager, now=timezone.now())
    assert AuditEvent.objects.filter(verb="member.removed").count() == 1


def test_removed_member_comes_back_by_an_invitation_with_the_role_that_is_chosen_then(
    project: Project, manager: User, member: Members
) -> None:
    person = member(Role.SENIOR, email="lhamo@example.org")
    remove(person, project, manager)

    added = invite(project, manager)

    assert (added.issued, added.membership.user, added.membership.role) == (
        None,
        person,
        "reviewer",
    )
    assert roles_ever(project)[person.pk] == "reviewer"


def test_last_manager_is_not_removed_and_the_words_say_what_to_do(
    project: Project, manager: User, member: Members, browser_of: Browsers
) -> None:
    paused = place_of(member(Role.MANAGER), project)
    actions.pause_member(membership=paused, actor=manager, now=timezone.now())
    url = f"/projects/ti/members/{place_of(manager, project).pk}/"
    browser = browser_of(manager)

    refused = browser.post(f"{url}remove/")

    assert refused.status_code == 409
    assert b"Make somebody else a manager first" in refused.content
    page = browser.get(url).content
    assert b"is the only active manager of this project" in page
    assert b"/remove/" not in page


def test_manager_who_leaves_lands_at_home(
    project: Project, manager: User, member: Members, browser_of: Browsers
) -> None:
    member(Role.MANAGER)
    url = f"/projects/ti/members/{place_of(manager, project).pk}/remove/"
    assert browser_of(manager).post(url)["Location"] == "/"


def test_links_that_a_manager_saw_end_when_they_go(
    project: Project, manager: User, member: Members
) -> None:
    other, now = member(Role.MANAGER), timezone.now()
    seen, kept = invite(project, manager), invite(project, other, "tashi@example.org")
    assert seen.issued and kept.issued

    assert remove(manager, project, other).invitations == 1

    assert not open_invitations(secret=seen.issued.secret, now=now).exists()
    assert open_invitations(secret=kept.issued.secret, now=now).exists()


def test_cancelled_invitation_leads_nowhere_and_the_right_address_can_be_invited(
    project: Project, manager: User, browser_of: Browsers
) -> None:
    mistyped = invite(project, manager, "lahmo@example.org")
    browser = browser_of(manager)
    url = f"/projects/ti/members/{mistyped.membership.pk}/"
    assert b"Cancel the invitation" in browser.get(url).content

    page = browser.post(f"{url}remove/", follow=True)

    assert b"The invitation of Lhamo is cancelled" in page.content
    assert Client().get(f"/accounts/invitations/{mistyped.issued.secret}/").status_code == 410
    assert invite(project, manager).issued


def test_cancelled_invitation_leaves_that_to_another_project_open(
    project: Project, manager: User
) -> None:
    other = MembershipFactory(role=Role.MANAGER)
    invite(project, manager)
    awaited = invite(other.project, None)

    remove(awaited.membership.user, project, manager)

    links = open_invitations(secret=awaited.issued.secret, now=timezone.now())
    assert links.exists()


def test_deactivated_person_is_not_invited_again(project: Project, manager: User) -> None:
    place = invite(project, manager).membership
    accounts.deactivate_account(user=place.user, actor=None, now=timezone.now())
    with pytest.raises(accounts.AccountDeactivated):
        actions.renew_invitation(membership=place, actor=manager, now=timezone.now())


def test_sole_places_are_where_nobody_else_leads(
    project: Project, manager: User, member: Members
) -> None:
    senior = member(Role.SENIOR)
    away = place_of(member(Role.SENIOR), project)
    Membership.objects.filter(pk=away.pk).update(is_paused=True)
    both = MembershipFactory(user=manager, role=Role.MANAGER)
    MembershipFactory(project=both.project, role=Role.MANAGER)

    assert [place.project for place in sole_places_of(manager)] == [project]
    assert [place.role for place in sole_places_of(senior)] == ["senior"]
    assert is_sole_in_role(place_of(senior, project))
    away.refresh_from_db()
    assert not is_sole_in_role(away)
    Membership.objects.filter(pk=away.pk).update(is_paused=False)
    assert sole_places_of(senior) == []


def test_removing_the_only_senior_says_that_disputes_wait(
    project: Project, manager: User, member: Members, browser_of: Browsers
) -> None:
    place = place_of(member(Role.SENIOR), project)
    browser, url = browser_of(manager), f"/projects/ti/members/{place.pk}/"
    assert b"They are the only senior" in browser.get(url).content
    page = browser.post(f"{url}remove/", follow=True).content
    assert b"No senior is left. Disputes wait" in page


def test_api_removes_a_member(
    project: Project, manager: User, member: Members, api_of: Apis
) -> None:
    person = member()
    url = f"/api/v1/projects/ti/members/{place_of(person, project).pk}/"
    api = api_of(manager)
    assert api.delete(url).status_code == 204
    assert api.delete(url).status_code == 404
    own = f"/api/v1/projects/ti/members/{place_of(manager, project).pk}/"
    refused = api.delete(own)
    assert (refused.status_code, refused.json()["code"]) == (409, "last_manager")


def test_api_invites_again(project: Project, manager: User, member: Members, api_of: Apis) -> None:
    place, came_in = invite(project, manager).membership, place_of(member(), project)
    api, url = api_of(manager), "/api/v1/projects/ti/members"
    again = api.post(f"{url}/{place.pk}/invite-again/").json()
    assert "/accounts/invitations/" in again["invitation_url"]
    assert api.post(f"{url}/{came_in.pk}/invite-again/").json() == {"invitation_url": None}


def test_command_removes_a_member(project: Project, manager: User, member: Members) -> None:
    member(email="dolma@example.org")
    out = StringIO()
    call_command("remove_member", "ti", "Dolma@example.org", "--json", stdout=out)
    assert '"email": "dolma@example.org"' in out.getvalue()
    assert list(project.memberships.values_list("user__email", flat=True)) == [manager.email]
    with pytest.raises(CommandError, match="is not a member of this project"):
        call_command("remove_member", "ti", "dolma@example.org", stdout=out)
