"""Digests: rarely enough, in the reader's language, without what must stay in, and easy to stop."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, OutgoingEmail, User
from annotation.models import Item
from notifications.actions.counting import recount
from notifications.actions.digests import queue_digests
from notifications.enums import Kind
from notifications.models import Notification
from notifications.unsubscribing import unsubscribe_token
from projects.models import Project

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Deliver = Callable[[], list[EmailMessage]]
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOW = timezone.now() - timedelta(hours=2, minutes=25)


def notice(user: User, project: Project, at: datetime = NOW, **more: Any) -> Notification:
    key = str(Notification.objects.count())
    fields = {"kind": Kind.SETTLED, "key": key, "created_at": at} | more
    made = Notification.objects.create(user=user, project=project, **fields)
    recount({user.pk})
    return made


def test_digest_says_how_much_is_new_and_nothing_of_items(
    project: Project, items: Callable[[int], None], pema: User, deliver: Deliver
) -> None:
    items(1)
    for _ in range(2):
        notice(pema, project, item=Item.objects.get())
    queue_digests(now=NOW + HOUR)
    (message,) = deliver()
    assert message.subject == "2 unread notifications in Lotsawa"
    assert f"- {project.name}: settled disputes that you judged: 2" in message.body
    bodies = [message.body, *(str(content) for content, _type in message.alternatives)]  # type: ignore[attr-defined]
    assert len(bodies) == 2
    for body in bodies:
        assert "s/00000" not in body
        assert Item.objects.get().question not in body
        assert "/notifications/unsubscribe/" in body
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_digest_comes_once_in_a_period_and_never_with_the_same_again(
    project: Project, pema: User, deliver: Deliver
) -> None:
    notice(pema, project)
    assert queue_digests(now=NOW + HOUR / 2) == 0
    assert queue_digests(now=NOW + HOUR) == 1
    assert queue_digests(now=NOW + 2 * DAY) == 0
    notice(pema, project, NOW + HOUR)
    assert queue_digests(now=NOW + DAY) == 0
    assert queue_digests(now=NOW + DAY + HOUR) == 1
    User.objects.update(digest="weekly")
    notice(pema, project, NOW + 2 * DAY)
    assert queue_digests(now=NOW + 7 * DAY) == 0
    assert queue_digests(now=NOW + 9 * DAY) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda user: User.objects.update(digest="off"),
        lambda user: User.objects.update(is_active=False),
        lambda user: Notification.objects.update(read_at=NOW),
        lambda user: Notification.objects.update(is_waiting=True),
        lambda user: user.memberships.all().delete(),
    ],
)
def test_nobody_gets_what_they_do_not_want_or_may_not_see(
    project: Project, pema: User, deliver: Deliver, change: Callable[[User], Any]
) -> None:
    notice(pema, project)
    change(pema)
    assert queue_digests(now=NOW + HOUR) == 0
    change_back()
    queue_digests(now=NOW + HOUR)
    change(pema)
    deliver()
    assert mail.outbox == []
    assert not OutgoingEmail.objects.exists()


def change_back() -> None:
    User.objects.update(digest="daily", is_active=True)
    Notification.objects.update(read_at=None, is_waiting=False)


def test_digest_is_in_the_language_of_its_reader(
    project: Project, pema: User, deliver: Deliver
) -> None:
    User.objects.filter(pk=pema.pk).update(language="zh-hans")
    notice(pema, project)
    queue_digests(now=NOW + HOUR)
    (message,) = deliver()
    html = str(message.alternatives[0][0])  # type: ignore[attr-defined]
    assert '<html lang="zh-hans"' in html


def test_link_in_the_email_stops_digests_without_signing_in(
    client: Client, project: Project, pema: User, deliver: Deliver
) -> None:
    notice(pema, project)
    queue_digests(now=NOW + HOUR)
    (message,) = deliver()
    found = re.search(r"https?://[^/]+(/notifications/unsubscribe/\S+/)", str(message.body))
    assert found is not None
    strict = Client(enforce_csrf_checks=True)
    assert strict.get(found[1]).status_code == 200
    pema.refresh_from_db()
    assert pema.digest == "daily"
    assert strict.post(found[1], {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert strict.post(found[1]).status_code == 200
    pema.refresh_from_db()
    assert pema.digest == "off"
    event = AuditEvent.objects.get(verb="user.changed")
    assert (event.actor, event.data) == (pema, {"digest": "off"})


def test_link_that_was_not_signed_here_does_nothing(client: Client, pema: User) -> None:
    token = unsubscribe_token(pema)
    for wrong in (f"{token}x", "rubbish", token.replace(":", "")):
        assert client.post(f"/notifications/unsubscribe/{wrong}/").status_code == 404
    pema.refresh_from_db()
    assert pema.digest == "daily"
