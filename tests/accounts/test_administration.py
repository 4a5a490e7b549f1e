"""Deactivating and reactivating accounts, and who is an administrator."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import actions
from accounts.models import ApiToken, AuditEvent, User
from accounts.queries import open_invitations
from tests.commands import printed
from tests.factories import UserFactory

Browsers = Callable[[User], Client]
Apis = Callable[[User], APIClient]
HOME = "/accounts/profile/"
PASSWORD = "correct horse"


@pytest.fixture
def administrator(db: None) -> User:
    return UserFactory(email="pema@example.org", name="Pema", is_superuser=True)


def deactivate(person: User, actor: User | None = None) -> actions.Ended:
    return actions.deactivate_account(user=person, actor=actor, now=timezone.now())


def reactivate(person: User, actor: User | None = None) -> None:
    actions.reactivate_account(user=person, actor=actor, now=timezone.now())


def verbs() -> list[str]:
    events = AuditEvent.objects.filter(verb__startswith="user.").order_by("pk")
    return list(events.values_list("verb", flat=True))


def sign_in(person: User, password: str = PASSWORD) -> Any:
    values = {"username": person.email, "password": password}
    return Client().post("/accounts/sign-in/", values)


def test_deactivated_person_is_out_on_the_next_request(
    person: User, administrator: User, browser_of: Browsers, api_of: Apis
) -> None:
    browser, api = browser_of(person), api_of(person)
    assert (browser.get(HOME).status_code, api.get("/api/v1/me/").status_code) == (200, 200)

    assert deactivate(person, administrator) == actions.Ended(tokens=1)

    assert (browser.get(HOME).status_code, api.get("/api/v1/me/").status_code) == (302, 401)
    event = AuditEvent.objects.get(verb="user.deactivated")
    assert event.actor == administrator
    assert event.data == {
        "email": "dolma@example.org",
        "tokens": 1,
        "held_items": 0,
        "invitations": 0,
    }


def test_reactivation_restores_the_password_and_neither_sessions_nor_tokens(
    person: User, browser_of: Browsers, api_of: Apis
) -> None:
    browser, api = browser_of(person), api_of(person)
    deactivate(person)

    reactivate(person)

    assert (browser.get(HOME).status_code, api.get("/api/v1/me/").status_code) == (302, 401)
    assert sign_in(person).status_code == 302
    assert verbs() == ["user.deactivated", "user.reactivated"]


def test_deactivating_and_reactivating_twice_records_one_event_each(person: User) -> None:
    for action in (deactivate, deactivate, reactivate, reactivate):
        action(person)
    assert verbs() == ["user.deactivated", "user.reactivated"]


def test_deactivated_person_with_the_right_password_is_told_why(person: User) -> None:
    deactivate(person)
    assert b"This account is deactivated" in sign_in(person).content
    wrong = sign_in(person, "wrong").content
    assert b"deactivated" not in wrong
    assert b"do not match" in wrong


def test_invitations_of_and_by_a_deactivated_person_end(person: User) -> None:
    now = timezone.now()
    sent = actions.invite_user(email="tashi@example.org", name="", actor=person, now=now)
    other = actions.invite_user(email="tashi@example.org", name="", actor=None, now=now)
    assert sent and other

    assert deactivate(person).invitations == 1

    assert not open_invitations(secret=sent.secret, now=now).exists()
    assert open_invitations(secret=other.secret, now=now).exists()
    deactivate(User.objects.get(email="tashi@example.org"))
    assert not open_invitations(secret=other.secret, now=now).exists()


def test_deactivated_account_cannot_be_invited(person: User) -> None:
    deactivate(person)
    with pytest.raises(actions.AccountDeactivated) as refusal:
        actions.invite_user(email=person.email, name="", actor=None, now=timezone.now())
    assert "Ask an administrator to reactivate it" in str(refusal.value)


def test_administrators_do_not_deactivate_themselves(administrator: User) -> None:
    UserFactory(is_superuser=True)
    for action in (actions.deactivate_account, actions.remove_administrator):
        with pytest.raises(actions.OwnAccount):
            action(user=administrator, actor=administrator, now=timezone.now())
    assert verbs() == []


@pytest.mark.parametrize(
    "action", [actions.deactivate_account, actions.remove_administrator], ids=["off", "unmade"]
)
def test_last_administrator_stays(administrator: User, action: Callable[..., Any]) -> None:
    other = UserFactory(is_superuser=True, is_active=False)
    with pytest.raises(actions.LastAdministrator):
        action(user=administrator, actor=None, now=timezone.now())
    reactivate(other)
    action(user=administrator, actor=other, now=timezone.now())
    assert not User.objects.filter(pk=administrator.pk, is_superuser=True, is_active=True).exists()


def test_administrator_is_made_and_unmade_once(administrator: User, person: User) -> None:
    for action in (actions.make_administrator, actions.remove_administrator):
        for _number in range(2):
            action(user=person, actor=administrator, now=timezone.now())
    assert verbs() == ["user.administrator_made", "user.administrator_removed"]
    deactivate(person)
    with pytest.raises(actions.AccountDeactivated):
        actions.make_administrator(user=person, actor=administrator, now=timezone.now())


def test_new_password_revokes_every_token_and_says_so(
    person: User, browser_of: Browsers, api_of: Apis
) -> None:
    browser, first, second = browser_of(person), api_of(person), api_of(person)
    assert b"revokes all your API tokens" in browser.get("/accounts/password/").content
    new = {"new_password1": "a stack of tall lines", "new_password2": "a stack of tall lines"}

    page = browser.post(
        "/accounts/password/", {"old_password": PASSWORD, **new}, follow=True
    ).content.decode()

    assert "Your password has been changed. This also revoked all your 2 API tokens." in page
    assert {first.get("/api/v1/me/").status_code, second.get("/api/v1/me/").status_code} == {401}
    assert AuditEvent.objects.get(verb="user.password_set").data == {"tokens": 2}
    assert not ApiToken.objects.filter(revoked_at__isnull=True).exists()


# Command


def test_command_changes_an_account(person: User) -> None:
    off = printed("change_account", "DOLMA@example.org", "deactivate")
    assert off == {
        "email": "dolma@example.org",
        "state": "deactivated",
        "is_administrator": False,
        "tokens": 0,
        "held_items": 0,
        "invitations": 0,
    }
    assert printed("change_account", person.email, "reactivate")["state"] == "active"
    assert printed("change_account", person.email, "make-administrator")["is_administrator"]
    with pytest.raises(CommandError, match="the only administrator") as refusal:
        printed("change_account", person.email, "remove-administrator")
    assert refusal.value.returncode == 1


def test_command_creates_an_administrator(db: None) -> None:
    call_command("create_user", "pema@example.org", "--administrator", "--json", stdout=StringIO())
    assert User.objects.get().is_superuser


def test_command_lists_accounts(administrator: User, person: User) -> None:
    deactivate(person)
    actions.invite_user(email="tashi@example.org", name="Tashi", actor=None, now=timezone.now())

    listed = printed("list_accounts")["accounts"]

    assert [(row["email"], row["state"], row["is_administrator"]) for row in listed] == [
        ("dolma@example.org", "deactivated", False),
        ("pema@example.org", "active", True),
        ("tashi@example.org", "invited", False),
    ]
    found = printed("list_accounts", "--search", "TASHI", "--state", "invited")["accounts"]
    assert [row["name"] for row in found] == ["Tashi"]
