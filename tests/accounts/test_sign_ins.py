"""The sign-in history: what is written down, for how long, and who reads it where."""

import csv
import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.utils import timezone
from rest_framework.test import APIClient
from structlog.contextvars import bound_contextvars, get_contextvars

from accounts import actions
from accounts.enums import SignInOutcome
from accounts.middleware import LogMiddleware
from accounts.models import SignInAttempt, User
from accounts.networks import network_of
from tests.factories import UserFactory

SIGN_IN = "/accounts/sign-in/"
RIGHT = {"username": "DOLMA@example.org", "password": "correct horse"}
WRONG = RIGHT | {"password": "wrong"}
NOBODY = {"username": "nobody@example.org", "password": "wrong"}


@pytest.fixture
def administrator(db: None) -> User:
    return UserFactory(email="pema@example.org", is_superuser=True)


def history() -> list[tuple[str | None, str, str]]:
    attempts = SignInAttempt.objects.order_by("pk")
    return list(attempts.values_list("user__email", "address", "outcome"))


def note(user: User | None, outcome: SignInOutcome, address: str = "192.0.2.1") -> None:
    actions.record_sign_in(user=user, address=address, outcome=outcome, now=timezone.now())


def test_every_attempt_is_written_down_with_its_end(person: User, settings: Any) -> None:
    settings.AXES_ENABLED = True
    for values in (RIGHT, WRONG, NOBODY, WRONG, WRONG, WRONG, WRONG):
        Client().post(SIGN_IN, values, REMOTE_ADDR="192.0.2.1")
    User.objects.update(is_active=False)
    Client().post(SIGN_IN, RIGHT, REMOTE_ADDR="192.0.2.2")

    wrong = ("dolma@example.org", "192.0.2.1", "wrong_password")
    assert history() == [
        ("dolma@example.org", "192.0.2.1", "signed_in"),
        wrong,
        (None, "192.0.2.1", "wrong_password"),
        wrong,
        wrong,
        wrong,
        ("dolma@example.org", "192.0.2.1", "locked"),
        ("dolma@example.org", "192.0.2.2", "deactivated"),
    ]


def test_form_with_an_empty_field_is_no_attempt(person: User, client: Client) -> None:
    client.post(SIGN_IN, RIGHT | {"password": ""})
    assert history() == []


def test_accepting_an_invitation_is_a_sign_in(person: User, client: Client) -> None:
    now = timezone.now()
    issued = actions.invite_user(email="new@example.org", name="", actor=person, now=now)
    assert issued
    words = "a stack of tall lines"
    values = {"name": "N", "password": words, "again": words}
    client.post(f"/accounts/invitations/{issued.secret}/", values)
    assert history() == [("new@example.org", "127.0.0.1", "signed_in")]


def test_history_forgets_after_its_time(person: User, client: Client, settings: Any) -> None:
    settings.SIGN_IN_HISTORY_DAYS = 30
    note(person, SignInOutcome.WRONG_PASSWORD)
    with time_machine.travel(timezone.now() + timedelta(days=31), tick=False):
        client.post(SIGN_IN, RIGHT)
    assert [outcome for _email, _address, outcome in history()] == ["signed_in"]


def test_what_is_too_old_is_not_shown_even_if_nobody_signed_in_since(
    person: User, api_of: Callable[[User], APIClient], settings: Any
) -> None:
    note(person, SignInOutcome.SIGNED_IN)
    api = api_of(person)
    assert len(api.get("/api/v1/me/sign-ins/").json()["results"]) == 1
    settings.SIGN_IN_HISTORY_DAYS = 0
    assert api.get("/api/v1/me/sign-ins/").json()["results"] == []


def test_person_sees_their_own_sign_ins_alone(
    person: User, browser_of: Callable[[User], Client], api_of: Callable[[User], APIClient]
) -> None:
    note(person, SignInOutcome.WRONG_PASSWORD, "192.0.2.7")
    note(UserFactory(), SignInOutcome.SIGNED_IN, "192.0.2.8")

    page = browser_of(person).get("/accounts/profile/").content.decode()
    assert ("192.0.2.7" in page, "192.0.2.8" in page) == (True, False)
    (row,) = api_of(person).get("/api/v1/me/sign-ins/").json()["results"]
    del row["id"], row["occurred_at"]
    assert row == {
        "account": "dolma@example.org",
        "address": "192.0.2.7",
        "outcome": "wrong_password",
    }


@pytest.fixture
def recorded(person: User, administrator: User) -> None:
    note(person, SignInOutcome.SIGNED_IN, "192.0.2.7")
    note(None, SignInOutcome.WRONG_PASSWORD, "2001:db8::1")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["2001:db8::1", "192.0.2.7"]),
        ("account=DOLMA@example.org", ["192.0.2.7"]),
        ("account=unknown@example.org", []),
        ("outcome=wrong_password", ["2001:db8::1"]),
        ("since=2000-01-01&until=2000-01-02", []),
    ],
)
def test_page_and_csv_show_administrators_what_the_filter_finds(
    recorded: None, administrator: User, browser_of: Any, query: str, found: list[str]
) -> None:
    browser = browser_of(administrator)
    page = browser.get(f"/sign-ins/?{query}")
    text = browser.get(f"/sign-ins.csv?{query}").getvalue().decode("utf-8-sig")
    assert page.status_code == 200
    assert [attempt.address for attempt in page.context["page"].rows] == found
    assert [row["address"] for row in csv.DictReader(StringIO(text))] == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["2001:db8::1", "192.0.2.7"]),
        ("address=192.0.2.7", ["192.0.2.7"]),
        ("account=dolma@example.org&outcome=signed_in", ["192.0.2.7"]),
    ],
)
def test_api_gives_administrators_what_the_filter_finds(
    recorded: None, administrator: User, api_of: Any, query: str, found: list[str]
) -> None:
    answer = api_of(administrator).get(f"/api/v1/sign-ins/?{query}").json()
    assert [row["address"] for row in answer["results"]] == found


@pytest.mark.parametrize("query", ["address=home", "outcome=well", "who=me"])
def test_api_refuses_a_filter_that_it_does_not_know(
    administrator: User, api_of: Any, query: str
) -> None:
    answer = api_of(administrator).get(f"/api/v1/sign-ins/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


@pytest.mark.parametrize("count", [1, 3])
def test_page_costs_the_same_for_one_attempt_and_for_three(
    administrator: User, browser_of: Any, django_assert_num_queries: Any, count: int
) -> None:
    browser = browser_of(administrator)
    for _number in range(count):
        note(UserFactory(), SignInOutcome.SIGNED_IN)
    with django_assert_num_queries(3):  # session, person, attempts
        browser.get("/sign-ins/")


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("list_sign_ins", *arguments, stdout=out)
    return out.getvalue()


def test_command_prints_the_history(recorded: None) -> None:
    rows = list(csv.DictReader(StringIO(printed().removeprefix("\ufeff"))))
    assert [(row["account"], row["outcome"]) for row in rows] == [
        ("", "wrong_password"),
        ("dolma@example.org", "signed_in"),
    ]
    (line,) = printed("--account", "Dolma@example.org", "--format", "json").splitlines()
    assert json.loads(line)["address"] == "192.0.2.7"
    assert printed("--until", "2000-01-01", "--format", "json") == ""


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""),
        ("unknown", "unknown"),
    ],
)
def test_network_of_an_address_is_what_one_subscriber_has(address: str, network: str) -> None:
    assert network_of(address) == network


def test_the_log_names_the_peer_whatever_a_visitor_writes(rf: RequestFactory) -> None:
    request = rf.get("/", REMOTE_ADDR="192.0.2.7", headers={"X-Forwarded-For": "198.51.100.1"})
    with bound_contextvars(ip=None):
        LogMiddleware.bind_ip(request)
        assert get_contextvars()["ip"] == "192.0.2.7"
