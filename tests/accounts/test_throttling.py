"""E-mails and links are as limited as sign-in: five attempts, then a quarter of an hour."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from axes.models import AccessAttempt
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.actions import invite_user
from accounts.models import User
from accounts.rules import client_address

RESET = "/accounts/password-reset/"
WRONG_INVITATION = "/accounts/invitations/nonsense/"
WRONG_RESET_LINK = "/accounts/password-reset/MQ/nonsense/"


@pytest.fixture(autouse=True)
def limited(settings) -> None:
    settings.AXES_ENABLED = True


def ask(client: Client, email: str = "dolma@example.org") -> int:
    return client.post(RESET, {"email": email}).status_code


def test_sixth_email_to_an_address_is_refused_until_the_time_is_over(
    person: User, client: Client, deliver: Any
) -> None:
    emails = ["dolma@example.org", "DOLMA@example.org", "Dolma@example.org"] * 2
    assert [ask(client, email) for email in emails] == [302] * 5 + [429]
    assert len(deliver()) == 5
    assert ask(client, "tashi@example.org") == 302
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=True):
        assert ask(client) == 302


def test_refusal_of_an_email_says_when_to_try_again(person: User, client: Client) -> None:
    for _number in range(5):
        ask(client)
    answer = client.post(RESET, {"email": "dolma@example.org"})
    assert (answer.status_code, answer["Retry-After"]) == (429, "900")
    assert "Try again in 15 minutes" in answer.content.decode()


def test_emails_to_an_unknown_address_are_counted_alike(db: None, client: Client) -> None:
    assert [ask(client, "nobody@example.org") for _number in range(6)] == [302] * 5 + [429]


def test_addresses_asked_for_are_not_written_down(person: User, client: Client) -> None:
    ask(client, "nobody@example.org")
    row = AccessAttempt.objects.get()
    assert "nobody" not in f"{row.username} {row.post_data} {row.get_data} {row.path_info}"


def test_emails_do_not_close_sign_in(person: User, client: Client) -> None:
    for _number in range(6):
        ask(client)
    form = {"username": "dolma@example.org", "password": "correct horse"}
    assert client.post("/accounts/sign-in/", form).status_code == 302


def failed_sign_in(client: Client, number: int, address: str) -> int:
    form = {"username": f"person{number}@example.org", "password": "wrong"}
    return client.post("/accounts/sign-in/", form, REMOTE_ADDR=address).status_code


def test_sign_in_from_one_address_is_limited_whoever_is_tried(
    person: User, client: Client, settings: Any
) -> None:
    settings.SIGN_IN_NETWORK_LIMIT = 3
    right = {"username": "dolma@example.org", "password": "correct horse"}
    answers = [failed_sign_in(client, number, "192.0.2.1") for number in range(4)]
    assert answers == [200, 200, 200, 429]

    refused = client.post("/accounts/sign-in/", right, REMOTE_ADDR="192.0.2.1")
    assert (refused.status_code, 0 < int(refused["Retry-After"]) <= 900) == (429, True)
    assert "Try again in 15" in refused.content.decode()
    assert failed_sign_in(client, 9, "192.0.2.2") == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=True):
        assert client.post("/accounts/sign-in/", right, REMOTE_ADDR="192.0.2.1").status_code == 302


def test_addresses_of_one_ipv6_network_are_one_place(
    person: User, client: Client, settings: Any
) -> None:
    settings.SIGN_IN_NETWORK_LIMIT = 2
    answers = [failed_sign_in(client, number, f"2001:db8::{number}") for number in (1, 2, 3)]
    assert answers == [200, 200, 429]
    assert failed_sign_in(client, 4, "2001:db8:0:1::4") == 200


def test_emails_from_one_address_are_limited_whoever_is_asked_for(
    person: User, client: Client, settings: Any
) -> None:
    settings.SIGN_IN_NETWORK_LIMIT = 3
    asked = [ask(client, f"person{number}@example.org") for number in range(4)]
    assert asked == [302, 302, 302, 429]
    assert failed_sign_in(client, 9, "127.0.0.1") == 200


def test_sign_ins_that_succeed_use_up_no_attempts(person: User, settings: Any) -> None:
    settings.SIGN_IN_NETWORK_LIMIT = 1
    right = {"username": "dolma@example.org", "password": "correct horse"}
    answers = [Client().post("/accounts/sign-in/", right).status_code for _number in range(3)]
    assert answers == [302] * 3


@pytest.mark.parametrize(
    ("path", "answer"), [(WRONG_INVITATION, 410), (WRONG_RESET_LINK, 200)], ids=["invited", "reset"]
)
def test_sixth_wrong_link_from_a_place_is_refused(
    person: User, client: Client, path: str, answer: int
) -> None:
    assert [client.get(path).status_code for _number in range(6)] == [answer] * 5 + [429]
    assert client.get(path, REMOTE_ADDR="192.0.2.7").status_code == answer
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=True):
        assert client.get(path).status_code == answer


@pytest.mark.parametrize(
    ("proxies", "forwarded", "place"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "unknown", "192.0.2.1"),
        (1, None, "192.0.2.1"),
    ],
)
def test_address_behind_proxies_is_the_one_that_the_outermost_of_them_saw(
    rf: RequestFactory, settings: Any, proxies: int, forwarded: str | None, place: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = rf.get("/", headers=headers, REMOTE_ADDR="192.0.2.1")
    assert client_address(request) == place


def test_wrong_links_of_one_person_behind_the_proxy_leave_those_of_others_open(
    person: User, client: Client, settings: Any
) -> None:
    settings.TRUSTED_PROXIES = 1
    one, other = ({"X-Forwarded-For": f"203.0.113.{n}"} for n in (1, 2))
    answers = [client.get(WRONG_INVITATION, headers=one).status_code for _number in range(6)]
    assert answers == [410] * 5 + [429]
    assert client.get(WRONG_INVITATION, headers=other).status_code == 410


def test_right_links_open_after_any_number_of_wrong_ones(
    person: User, client: Client, deliver: Any
) -> None:
    for _number in range(6):
        client.get(WRONG_INVITATION)
        client.get(WRONG_RESET_LINK)
    issued = invite_user(email="new@example.org", name="N", actor=person, now=timezone.now())
    assert issued is not None
    assert client.get(f"/accounts/invitations/{issued.secret}/").status_code == 200
    ask(client)
    link = re.search(r"/accounts/password-reset/\S+/\S+/", str(deliver()[-1].body))
    assert link and client.get(link[0], follow=True).status_code == 200


def test_passwords_sent_to_a_wrong_link_are_not_written_down(person: User, client: Client) -> None:
    new = "a stack of tall lines"
    client.post(WRONG_INVITATION, {"name": "D", "password": new, "again": new})
    client.post(WRONG_RESET_LINK, {"new_password1": new, "new_password2": new})
    assert AccessAttempt.objects.count() == 2
    for row in AccessAttempt.objects.all():
        assert new not in row.post_data


def test_right_links_are_not_counted(person: User, client: Client) -> None:
    issued = invite_user(email="new@example.org", name="N", actor=person, now=timezone.now())
    assert issued is not None
    path = f"/accounts/invitations/{issued.secret}/"
    assert [client.get(path).status_code for _number in range(7)] == [200] * 7
    weak = {"name": "N", "password": "short", "again": "short"}
    assert [client.post(path, weak).status_code for _number in range(7)] == [200] * 7
