"""A request belongs to an account only while its session runs and the account is active."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User

pytestmark = pytest.mark.both_databases

BACKEND = "accounts.backends.AccountBackend"


@pytest.fixture
def client_of_dolma(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("dolma@example.org", "Dolma"), backend=BACKEND)
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_session_ends_when_its_time_is_over(client_of_dolma: Client) -> None:
    assert is_signed_in(client_of_dolma)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_signed_in(client_of_dolma)


def test_deactivated_account_is_signed_out_at_the_next_request(client_of_dolma: Client) -> None:
    User.objects.update(is_active=False)
    assert not is_signed_in(client_of_dolma)


def test_removed_account_is_signed_out(client_of_dolma: Client) -> None:
    User.objects.all().delete()
    assert not is_signed_in(client_of_dolma)


@pytest.mark.parametrize("key", ["", "nosuchsessionnosuchsession", '"a\\000b"'])
def test_made_up_session_key_is_nobodys(client_of_dolma: Client, key: str) -> None:
    client = Client(headers={"cookie": f"sessionid={key}"})
    assert client.get("/").status_code == 302
    assert is_signed_in(client_of_dolma)
