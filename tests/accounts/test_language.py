"""The language of the pages: the account's choice, then the device's, then the browser's."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation

from accounts.actions import LanguageUnknown, choose_language
from accounts.models import AuditEvent, User
from tests.factories import UserFactory

CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN,zh;q=0.9,en;q=0.5"}


def language_of(client: Client, **headers: str) -> str:
    return client.get("/accounts/sign-in/", **headers).headers["Content-Language"]  # type: ignore[arg-type]


def test_page_is_in_the_language_that_the_browser_asks_for(db: None, client: Client) -> None:
    assert language_of(client, **CHINESE) == "zh-hans"
    assert language_of(client, HTTP_ACCEPT_LANGUAGE="bo") == "en"


def test_choice_of_somebody_signed_out_holds_on_the_device(db: None, client: Client) -> None:
    client.post("/accounts/language/", {"language": "zh-hans", "next": "/accounts/sign-in/"})
    assert language_of(client) == "zh-hans"


def test_choice_of_somebody_signed_in_holds_on_every_device(db: None) -> None:
    user = UserFactory()
    first, second = Client(), Client()
    for client in (first, second):
        client.force_login(user, backend="accounts.backends.AccountBackend")

    first.post("/accounts/language/", {"language": "zh-hans", "next": "/accounts/profile/"})
    page = second.get("/accounts/profile/", HTTP_ACCEPT_LANGUAGE="en")

    assert page.headers["Content-Language"] == "zh-hans"
    assert User.objects.get(pk=user.pk).language == "zh-hans"
    assert AuditEvent.objects.get(verb="user.changed").data == {"language": "zh-hans"}


def test_choice_of_an_unknown_language_is_refused(db: None) -> None:
    user = UserFactory()
    with pytest.raises(LanguageUnknown):
        choose_language(user=user, language="tlh", actor=user, now=timezone.now())
    assert User.objects.get(pk=user.pk).language == ""


@pytest.mark.parametrize(
    ("chosen", "asked", "language"),
    [("zh-hans", "en", "zh-hans"), ("", "zh-hans", "zh-hans"), ("", "en", "en")],
)
def test_email_is_in_the_language_of_who_gets_it_else_in_that_of_the_request(
    db: None, client: Client, deliver: Any, chosen: str, asked: str, language: str
) -> None:
    UserFactory(email="pema@example.org", language=chosen)
    values = {"email": "pema@example.org"}
    client.post("/accounts/password-reset/", values, headers={"Accept-Language": asked})
    translation.activate("en")
    with translation.override(language):
        subject = translation.gettext("A new password for Lotsawa")
    assert deliver()[0].subject == subject
