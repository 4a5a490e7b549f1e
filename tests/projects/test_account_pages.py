"""The administrator's pages and API of accounts."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import deactivate_account, invite_user
from accounts.models import User
from projects.enums import Role
from projects.models import Project
from tests.factories import MembershipFactory, UserFactory

Browsers = Callable[[User], Client]


@pytest.fixture
def administrator(db: None) -> User:
    return UserFactory(email="admin@example.org", name="Admin", is_superuser=True)


@pytest.fixture
def person(db: None) -> User:
    return UserFactory(email="dolma@example.org", name="Dolma")


@pytest.fixture
def accounts(administrator: User, person: User) -> None:
    gone = UserFactory(email="gone@example.org", name="Gone Person")
    deactivate_account(user=gone, actor=None, now=timezone.now())
    invite_user(email="new@example.org", name="New Person", actor=None, now=timezone.now())


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["admin", "dolma", "gone", "new"]),
        ("q=PERSON", ["gone", "new"]),
        ("q=dolma@", ["dolma"]),
        ("state=active", ["admin", "dolma"]),
        ("state=invited", ["new"]),
        ("state=deactivated", ["gone"]),
        ("administrators=on", ["admin"]),
    ],
)
def test_page_lists_the_accounts_that_are_asked_for(
    accounts: None, administrator: User, browser_of: Browsers, query: str, found: list[str]
) -> None:
    page = browser_of(administrator).get(f"/accounts/?{query}")
    assert [user.email.partition("@")[0] for user in page.context["page"].rows] == found


@pytest.mark.parametrize(
    ("query", "found"),
    [("state=deactivated", ["gone"]), ("q=person&administrators=false", ["gone", "new"])],
)
def test_api_lists_the_accounts_that_are_asked_for(
    accounts: None, administrator: User, api_of: Any, query: str, found: list[str]
) -> None:
    rows = api_of(administrator).get(f"/api/v1/accounts/?{query}").json()["results"]
    assert [row["email"].partition("@")[0] for row in rows] == found


def test_filter_that_is_not_known_is_refused(
    administrator: User, browser_of: Browsers, api_of: Any
) -> None:
    assert browser_of(administrator).get("/accounts/?state=odd").status_code == 400
    assert api_of(administrator).get("/api/v1/accounts/?state=odd").json()["code"] == "invalid"


@pytest.mark.parametrize("count", [1, 3])
def test_list_costs_the_same_for_one_account_and_for_three(
    administrator: User, browser_of: Browsers, django_assert_num_queries: Any, count: int
) -> None:
    MembershipFactory.create_batch(count)
    browser = browser_of(administrator)
    with django_assert_num_queries(3):  # session, person, accounts
        page = browser.get("/accounts/")
    assert [user.place_count for user in page.context["page"].rows] == [0] + [1] * count


def test_account_says_what_would_stand_still_without_it(
    project: Project, administrator: User, person: User, browser_of: Browsers, api_of: Any
) -> None:
    MembershipFactory(project=project, user=person, role=Role.MANAGER)
    page = browser_of(administrator).get(f"/accounts/{person.pk}/").content.decode()
    assert "They are the only manager of Ti. Make somebody else a manager" in page
    body = api_of(administrator).get(f"/api/v1/accounts/{person.pk}/").json()
    assert body["sole_roles"] == [{"project": "ti", "role": "manager"}]
    assert [place["project"] for place in body["memberships"]] == ["ti"]


def test_page_deactivates_and_reactivates_and_says_what_it_did(
    administrator: User, person: User, browser_of: Browsers, api_of: Any
) -> None:
    browser, url = browser_of(administrator), f"/accounts/{person.pk}/"
    api_of(person)

    off = browser.post(f"{url}deactivate/", follow=True).content.decode()
    assert (
        "Dolma is signed out everywhere and can no longer sign in. 1 API token is revoked." in off
    )
    assert "Reactivate the account" in off
    on = browser.post(f"{url}reactivate/", follow=True).content.decode()
    assert "Dolma can sign in again" in on


def test_page_of_ones_own_account_offers_nothing_to_lock_oneself_out_with(
    administrator: User, browser_of: Browsers
) -> None:
    browser, url = browser_of(administrator), f"/accounts/{administrator.pk}/"
    page = browser.get(url).content
    assert b"/deactivate/" not in page
    assert b"/remove-administrator/" not in page
    refused = browser.post(f"{url}deactivate/")
    assert (refused.status_code, b"Ask another administrator" in refused.content) == (409, True)


def test_page_makes_and_unmakes_an_administrator(
    administrator: User, person: User, browser_of: Browsers
) -> None:
    browser, url = browser_of(administrator), f"/accounts/{person.pk}/"
    assert (
        b"is now an administrator" in browser.post(f"{url}make-administrator/", follow=True).content
    )
    assert browser_of(person).get("/accounts/").status_code == 200
    gone = browser.post(f"{url}remove-administrator/", follow=True).content
    assert b"is no longer an administrator" in gone
    assert browser_of(person).get("/accounts/").status_code == 403


def test_api_changes_an_account(
    administrator: User, person: User, api_of: Callable[[User], APIClient]
) -> None:
    api, url = api_of(administrator), f"/api/v1/accounts/{person.pk}"
    off = api.post(f"{url}/deactivate/").json()
    assert (off["state"], off["ended"]) == (
        "deactivated",
        {"tokens": 0, "held_items": 0, "invitations": 0},
    )
    assert api.post(f"{url}/make-administrator/").json()["code"] == "account_deactivated"
    assert api.post(f"{url}/reactivate/").json()["state"] == "active"
    assert api.post(f"{url}/make-administrator/").json()["is_administrator"] is True
    assert api.post(f"{url}/remove-administrator/").json()["is_administrator"] is False
    own = api.post(f"/api/v1/accounts/{administrator.pk}/deactivate/")
    assert (own.status_code, own.json()["code"]) == (409, "own_account")
