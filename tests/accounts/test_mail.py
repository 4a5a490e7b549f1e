"""E-mails wait as rows for a worker: nothing is sent in a request, lost, or sent for what is over."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import actions
from accounts.actions.emails import Emails
from accounts.mail import send_waiting_emails
from accounts.models import OutgoingEmail, User
from tests.factories import UserFactory

Deliver = Callable[[], list[EmailMessage]]
RESET = "/accounts/password-reset/"


class AwayBackend(EmailBackend):
    """A mail server that does not answer."""

    def send_messages(self, messages: Any) -> int:
        raise TimeoutError


def _at(moment: datetime) -> datetime:
    return moment


@pytest.fixture
def away(settings: Any) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.AwayBackend"


def ask(email: str = "dolma@example.org") -> None:
    actions.queue_password_reset(email=email, now=timezone.now())


def work_of(client: Client, email: str, **kinds: Any) -> tuple[int, str, list[str], int]:
    """Status, address, statements and e-mails of asking for a link, without the values."""
    with CaptureQueriesContext(connection, **kinds) as captured:
        answer = client.post(RESET, {"email": email})
    shapes = [query["sql"].split(" VALUES ")[0].split(" WHERE ")[0] for query in captured]
    return answer.status_code, answer["Location"], shapes, len(mail.outbox)


@pytest.mark.parametrize("email", ["nobody@example.org", "gone@example.org", "new@example.org"])
def test_request_for_a_link_does_the_same_work_whoever_is_asked_for(
    person: User, client: Client, email: str
) -> None:
    UserFactory(email="gone@example.org", is_active=False)
    actions.invite_user(email="new@example.org", name="", actor=None, now=timezone.now())
    client.get(RESET)

    known, other = work_of(client, person.email), work_of(client, email)

    assert known == other
    assert known[3] == 0
    assert any("INSERT" in shape and "outgoingemail" in shape for shape in known[2])


@pytest.mark.parametrize("email", ["nobody@example.org", "gone@example.org", "new@example.org"])
def test_worker_writes_to_nobody_who_has_no_password_here(
    db: None, deliver: Deliver, email: str
) -> None:
    UserFactory(email="gone@example.org", is_active=False)
    actions.invite_user(email="new@example.org", name="", actor=None, now=timezone.now())
    ask(email)
    assert deliver() == []
    assert not OutgoingEmail.objects.exists()


def test_email_is_sent_once(person: User, deliver: Deliver) -> None:
    ask()
    deliver()
    (message,) = deliver()
    assert message.to == ["dolma@example.org"]
    assert not OutgoingEmail.objects.exists()


def test_email_waits_for_the_mail_server_and_is_given_up_after_its_tries(
    person: User, away: None
) -> None:
    ask()
    start, tried = timezone.now(), []
    while row := OutgoingEmail.objects.first():
        last = row.due_at
        tried.append([send_waiting_emails(clock=partial(_at, last)) for _worker in range(2)])
    assert tried == [[1, 0]] * len(Emails.delays) + [[0, 0]]
    assert timedelta(hours=4) < last - start < timedelta(hours=5)


def test_email_that_the_server_did_not_take_goes_out_later(
    person: User, away: None, settings: Any
) -> None:
    ask()
    assert send_waiting_emails() == 1
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert send_waiting_emails() == 0
    later = timezone.now() + timedelta(minutes=2)
    assert send_waiting_emails(clock=lambda: later) == 1
    assert len(mail.outbox) == 1


def test_database_is_left_while_the_mail_server_is_waited_for(
    person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_the_database: list[bool] = []

    @contextmanager
    def database() -> Iterator[None]:
        at_the_database.append(True)
        yield
        at_the_database.pop()

    def send(backend: EmailBackend, messages: Any) -> int:
        assert at_the_database == []
        return len(messages)

    monkeypatch.setattr(EmailBackend, "send_messages", send)
    ask()
    assert send_waiting_emails(database=database) == 1


@pytest.mark.parametrize("end", ["accepted", "cancelled", "expired"])
def test_invitation_that_is_over_is_not_sent(db: None, deliver: Deliver, end: str) -> None:
    now = timezone.now()
    issued = actions.invite_user(email="new@example.org", name="", actor=None, now=now)
    assert issued
    actions.queue_invitation(invitation=issued.invitation, project_name="Ti", now=now)
    invitation = issued.invitation
    if end == "accepted":
        actions.accept_invitation(
            secret=issued.secret, name="N", password="a stack of tall lines", now=now
        )
    elif end == "cancelled":
        actions.end_invitations(invitations=invitation.user.invitations.all(), now=now)
    else:
        type(invitation).objects.update(expires_at=now)
    assert deliver() == []


@pytest.mark.parametrize(
    ("inviter", "words"),
    [
        ("Pema", "Pema invites you to work on Ti in Lotsawa."),
        (None, "You are invited to work on Ti in Lotsawa."),
    ],
)
def test_invitation_says_who_invites_if_somebody_does(
    db: None, deliver: Deliver, inviter: str | None, words: str
) -> None:
    actor, now = UserFactory(name=inviter) if inviter else None, timezone.now()
    issued = actions.invite_user(email="new@example.org", name="", actor=actor, now=now)
    assert issued
    actions.queue_invitation(invitation=issued.invitation, project_name="Ti", now=now)
    (message,) = deliver()
    assert words in str(message.body)
    assert f"/accounts/invitations/{issued.secret}/" in str(message.body)
    assert "\n\nOpen this address" in str(message.body)


@pytest.mark.parametrize(
    ("labels", "written"), [((), ""), (("Pay", "Items"), "Pay: some\nItems: some\n\n")]
)
def test_address_of_an_invitation_stands_in_a_paragraph_of_its_own(
    labels: tuple[str, ...], written: str
) -> None:
    lines = [{"label": label, "text": "some"} for label in labels]
    context = {"user": User(name="Dolma"), "project": {"name": "Ti"}, "lines": lines}
    words = render_to_string("emails/invitation.txt", context)
    assert f"work on Ti in Lotsawa.\n\n{written}Open this address" in words


def test_invitation_that_nobody_signed_repeats_no_name_that_a_stranger_typed() -> None:
    context = {"user": User(name="you won: https://evil.example"), "project": {"name": "Ti"}}
    words = render_to_string("emails/invitation.txt", context)
    assert "evil" not in words
    assert words.startswith("Hello,")


def test_no_secret_rests_in_the_row(db: None) -> None:
    now = timezone.now()
    issued = actions.invite_user(email="new@example.org", name="", actor=None, now=now)
    assert issued
    actions.queue_invitation(invitation=issued.invitation, project_name="Ti", now=now)
    row = OutgoingEmail.objects.get()
    assert row.data == {"invitation": issued.invitation.pk, "project": "Ti"}
    assert issued.secret not in str(vars(issued.invitation))


def test_link_for_a_new_password_ends_with_the_account(person: User, deliver: Deliver) -> None:
    ask()
    (message,) = deliver()
    link = next(word for word in str(message.body).split() if "/password-reset/" in word)
    now: datetime = timezone.now()
    actions.deactivate_account(user=person, actor=None, now=now)
    actions.reactivate_account(user=person, actor=None, now=now)

    page = Client().get(link.split(":8000")[1], follow=True)

    assert b"can no longer be used" in page.content


def test_emails_are_made_without_asking_the_network_for_the_name_of_the_host(
    person: User, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_network(*_: object) -> str:
        raise AssertionError("a name server that does not answer would hold up every e-mail")

    monkeypatch.setattr("socket.getfqdn", ask_network)
    monkeypatch.delattr("django.core.mail.utils.DNS_NAME._fqdn", raising=False)
    ask()

    [message] = deliver()

    assert message.message()["Message-ID"].endswith("@127.0.0.1>")
