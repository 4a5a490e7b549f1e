"""The list behind the bell, by page and API."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from notifications.actions.counting import recount
from notifications.enums import Kind
from notifications.models import Notification
from projects.enums import Role
from projects.models import Project

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
NOW = timezone.now()


def notice(user: User, project: Project, **more: Any) -> Notification:
    key = str(Notification.objects.count())
    fields = {"kind": Kind.DECIDED, "key": key, "created_at": NOW} | more
    made = Notification.objects.create(user=user, project=project, **fields)
    recount({user.pk})
    return made


def test_list_shows_own_notifications_and_the_bell_their_number(
    client: Client, project: Project, pema: User, member: Callable[..., User]
) -> None:
    notice(pema, project)
    notice(member(Role.REVIEWER), project, kind=Kind.PROPOSED)
    notice(pema, project, kind=Kind.PROPOSED, is_waiting=True)
    client.force_login(pema)
    page = client.get("/notifications/").content.decode()
    assert page.count("Your glossary proposal was decided.") == 1
    assert "Somebody proposed" not in page
    assert "Notifications, 1 unread" in page


def test_following_marks_as_read_and_leads_to_the_place(
    client: Client, project: Project, pema: User
) -> None:
    first, _second = notice(pema, project), notice(pema, project)
    client.force_login(pema)
    answer = client.post(f"/notifications/{first.pk}/follow/")
    assert answer["Location"] == f"/projects/{project.slug}/glossary/proposals/"
    assert "Notifications, 1 unread" in client.get("/notifications/").content.decode()


def test_nobody_follows_what_is_not_for_them(
    client: Client, project: Project, pema: User, member: Callable[..., User]
) -> None:
    of_another = notice(member(Role.REVIEWER), project)
    waiting = notice(pema, project, is_waiting=True)
    client.force_login(pema)
    for pk in (of_another.pk, waiting.pk, 10**30):
        assert client.post(f"/notifications/{pk}/follow/").status_code == 404
    assert not Notification.objects.filter(read_at__isnull=False).exists()


def test_all_are_marked_but_those_that_wait(client: Client, project: Project, pema: User) -> None:
    notice(pema, project)
    waiting = notice(pema, project, is_waiting=True)
    client.force_login(pema)
    client.post("/notifications/read/")
    assert list(Notification.objects.filter(read_at=None)) == [waiting]
    pema.refresh_from_db()
    assert pema.unread_count == 0


@pytest.mark.parametrize("count", [1, 3])
def test_list_costs_the_same_however_long(
    client: Client, project: Project, pema: User, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        notice(pema, project)
    client.force_login(pema)
    with django_assert_num_queries(4):  # the last for the words of the events about terms
        client.get("/notifications/")


def test_api_lists_and_marks(
    api_of: Callable[[User], APIClient], project: Project, pema: User
) -> None:
    first = notice(pema, project)
    second = notice(pema, project, created_at=NOW + timedelta(seconds=1))
    client = api_of(pema)
    rows = client.get("/api/v1/me/notifications/").json()["results"]
    assert [(row["id"], row["kind"], row["is_read"]) for row in rows] == [
        (second.pk, "decided", False),
        (first.pk, "decided", False),
    ]
    page = client.get("/api/v1/me/notifications/?page_size=1").json()
    assert client.get(page["next"]).json()["results"][0]["id"] == first.pk
    assert client.post("/api/v1/me/notifications/read/", {"ids": [first.pk]}).status_code == 204
    assert list(Notification.objects.filter(read_at=None)) == [second]
    assert client.post("/api/v1/me/notifications/read/").status_code == 204
    pema.refresh_from_db()
    assert pema.unread_count == 0
    assert client.post("/api/v1/me/notifications/read/", {"ids": ["x"]}).status_code == 400
    assert client.get("/api/v1/me/notifications/?cursor=rubbish").status_code == 400


def test_choice_of_digest_is_kept_by_page_and_api(
    client: Client, api_of: Callable[[User], APIClient], pema: User
) -> None:
    client.force_login(pema)
    client.post("/notifications/digest/", {"digest": "weekly"})
    api = api_of(pema)
    assert api.get("/api/v1/me/digest/").json() == {"digest": "weekly"}
    assert api.put("/api/v1/me/digest/", {"digest": "off"}).json() == {"digest": "off"}
    assert api.put("/api/v1/me/digest/", {"digest": "hourly"}).status_code == 400
    assert client.post("/notifications/digest/", {"digest": "hourly"}).status_code == 400
    page = client.get("/accounts/profile/").content.decode()
    assert '<option value="off" selected>' in page
