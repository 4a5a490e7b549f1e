"""Every answer says what a page may load: our own files, and a little more for the API's pages."""

import pytest
from django.conf import settings
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def policy(client: Client, path: str) -> dict[str, str]:
    """The directives of an answer with what they allow."""
    pairs = client.get(path)["Content-Security-Policy"].split("; ")
    return {name: allowed for name, _blank, allowed in (each.partition(" ") for each in pairs)}


@pytest.mark.parametrize("path", ["/accounts/sign-in/", "/nowhere/", "/api/v1/me/"])
def test_answers_have_the_policy_of_the_settings(path: str) -> None:
    asked = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]

    assert policy(Client(), path) == {name: " ".join(allowed) for name, allowed in asked.items()}


def test_view_with_a_policy_of_its_own_leaves_the_others_theirs() -> None:
    client = Client()
    client.force_login(UserFactory())
    before = policy(client, "/help/")

    own = policy(client, "/api/docs/")

    assert own["style-src"] == "'self' 'unsafe-inline'"
    assert policy(client, "/help/") == before
    assert before["style-src"] == "'self'"
