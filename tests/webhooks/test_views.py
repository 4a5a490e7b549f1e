"""Pages and API of webhooks, and what an address may be."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from projects.enums import Role
from projects.models import Project
from tests.webhooks.conftest import NOW
from webhooks.actions.managing import MOST, add_webhook
from webhooks.enums import Problem
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/lotsawa"
LIST = "/api/v1/projects/ti/webhooks/"


@pytest.fixture
def browser(member: Callable[..., User], browser_of: Callable[[User], Client]) -> Client:
    return browser_of(member(Role.MANAGER))


@pytest.fixture
def api(member: Callable[..., User], api_of: Callable[[User], APIClient]) -> APIClient:
    return api_of(member(Role.MANAGER))


@pytest.fixture
def webhook(project: Project) -> Webhook:
    return add_webhook(
        project=project, url=URL, events=["round.closed"], actor=None, now=NOW
    ).webhook


@pytest.fixture
def delivery(webhook: Webhook) -> Delivery:
    event = AuditEvent.objects.get(verb="webhook.added")
    return Delivery.objects.create(
        webhook=webhook, event=event, name="round.closed", state="failed", problem="private",
        payload={"a": 1}, due_at=NOW, created_at=NOW, tries=8, tried_at=NOW,
    )  # fmt: skip


def test_secret_is_shown_on_the_answer_alone(browser: Client, project: Project) -> None:
    address = reverse("webhooks:list", args=["ti"])
    page = browser.post(address, {"url": URL, "events": ["round.closed", "job.ended"]})
    assert b"whsec_" in page.content and URL.encode() in page.content
    assert "no-store" in page.headers["Cache-Control"]
    assert sorted(Webhook.objects.get().events) == ["job.ended", "round.closed"]
    later = browser.get(address)
    assert b"whsec_" not in later.content and URL.encode() in later.content


def test_new_secret_is_shown_once(browser: Client, webhook: Webhook) -> None:
    page = browser.post(reverse("webhooks:rotate", args=["ti", webhook.pk]))
    assert b"whsec_" in page.content
    page = browser.get(reverse("webhooks:detail", args=["ti", webhook.pk]))
    assert page.status_code == 200 and b"whsec_" not in page.content


def test_page_lists_deliveries_with_their_problem_and_sends_again(
    browser: Client, delivery: Delivery
) -> None:
    page = browser.get(reverse("webhooks:detail", args=["ti", delivery.webhook_id]))
    assert "The host name leads to a private network" in page.content.decode()
    again = reverse("webhooks:again", args=["ti", delivery.webhook_id, delivery.pk])
    assert browser.post(again).status_code == 302
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries, delivery.problem) == ("waiting", 0, "")


def test_page_says_with_which_status_a_receiver_refused(
    browser: Client, delivery: Delivery
) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(problem=Problem.STATUS, status=500)
    page = browser.get(reverse("webhooks:detail", args=["ti", delivery.webhook_id]))
    words = " ".join(page.content.decode().split())
    assert "The receiver answered with an error. HTTP 500" in words


@pytest.mark.parametrize("count", [1, 3])
def test_page_of_deliveries_costs_the_same_for_any_number(
    browser: Client, delivery: Delivery, count: int, django_assert_num_queries: Any
) -> None:
    for name in ("round.opened", "round.paused")[: count - 1]:
        Delivery.objects.create(
            webhook=delivery.webhook, event=delivery.event, name=name, due_at=NOW, created_at=NOW
        )
    address = reverse("webhooks:detail", args=["ti", delivery.webhook_id])
    browser.get(address)
    with django_assert_num_queries(7):
        assert browser.get(address).content.count(b"audit event") == count


def test_webhook_is_changed_pinged_and_removed(browser: Client, webhook: Webhook) -> None:
    address = reverse("webhooks:detail", args=["ti", webhook.pk])
    assert browser.post(address, {"events": ["release.built"]}).status_code == 302
    assert list(Webhook.objects.get().events) == ["release.built"]
    assert browser.post(address, {}).status_code == 400
    browser.post(reverse("webhooks:ping", args=["ti", webhook.pk]))
    assert AuditEvent.objects.filter(verb="webhook.pinged").count() == 1
    browser.post(reverse("webhooks:remove", args=["ti", webhook.pk]))
    assert Webhook.objects.count() == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/", "ftp://hooks.example.org/", "hooks.example.org", "https://",
        "https://me:secret@hooks.example.org/", "https://hooks.example.org/#a",
        "https://hooks.example.org:22/", "https://hooks.example.org:99999/", "https://127.0.0.1/",
        "https://[::1]/", "https://169.254.169.254/latest/", "https://10.0.0.1:8443/",
        "https://hooks.example.org/\r\nx", "https://[::1", "https://hooks.example.org/a b",
        f"https://hooks.example.org/{'a' * 500}",
    ],
)  # fmt: skip
def test_addresses_that_cannot_be_called_are_refused(api: APIClient, url: str) -> None:
    answer = api.post(LIST, {"url": url, "events": ["job.ended"]}, format="json")
    assert answer.status_code == 400 and "url" in answer.json()["fields"]


@pytest.mark.parametrize("url", [URL, "https://hooks.example.org:8443/?a=1", "https://8.8.8.8/"])
def test_addresses_that_can_be_called_are_taken(api: APIClient, url: str) -> None:
    answer = api.post(LIST, {"url": url, "events": ["job.ended"]}, format="json")
    assert answer.status_code == 201 and answer.json()["secret"].startswith("whsec_")


def test_api_goes_the_whole_way(api: APIClient, delivery: Delivery) -> None:
    one = f"{LIST}{delivery.webhook_id}/"
    assert api.get(LIST).json()["results"][0]["url"] == URL
    assert "secret" not in api.get(one).json()
    changed = api.put(one, {"events": ["job.ended"]}, format="json").json()
    assert changed["events"] == ["job.ended"]
    assert api.post(f"{one}secret/").json()["secret"].startswith("whsec_")
    assert api.post(f"{one}ping/").status_code == 204
    assert api.post(f"{one}switch-on/").json()["code"] == "webhook_active"
    [row] = api.get(f"{one}deliveries/").json()["results"]
    assert (row["uid"], row["problem"], row["audit_event"]) == (
        str(delivery.uid), "private", delivery.event_id,
    )  # fmt: skip
    assert api.post(f"{one}deliveries/{delivery.pk}/again/").status_code == 204
    assert api.post(f"{one}deliveries/{delivery.pk}/again/").status_code == 409
    since = api.post(f"{one}replay/", {"since": "2026-11-01T00:00:00Z"}, format="json")
    assert since.json() == {"deliveries": 0}
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404


def test_delivery_of_another_webhook_is_not_there(
    api: APIClient, delivery: Delivery, project: Project
) -> None:
    other = add_webhook(
        project=project, url=f"{URL}/2", events=["job.ended"], actor=None, now=NOW
    ).webhook
    again = f"{LIST}{other.pk}/deliveries/{delivery.pk}/again/"
    assert api.post(again).status_code == 404


def test_same_address_twice_and_too_many_are_refused(api: APIClient, project: Project) -> None:
    body = {"url": URL, "events": ["job.ended"]}
    assert api.post(LIST, body, format="json").status_code == 201
    assert api.post(LIST, body, format="json").json()["code"] == "webhook_exists"
    for number in range(1, MOST):
        add_webhook(
            project=project, url=f"{URL}/{number}", events=["job.ended"], actor=None, now=NOW
        )
    body["url"] = f"{URL}/more"
    assert api.post(LIST, body, format="json").json()["code"] == "too_many_webhooks"


def test_unknown_events_are_refused(api: APIClient) -> None:
    for events in ([], ["ping"], ["item.changed"]):
        answer = api.post(LIST, {"url": URL, "events": events}, format="json")
        assert answer.status_code == 400


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Problem.PRIVATE, "LOTSAWA_WEBHOOK_NETWORKS"),
        (Problem.PORT, "LOTSAWA_WEBHOOK_PORTS"),
        (Problem.TLS, "LOTSAWA_WEBHOOK_AUTHORITIES"),
        (Problem.CONNECTION, "firewall"),
    ],
)
def test_page_says_what_to_do_about_a_problem(
    browser: Client, delivery: Delivery, problem: Problem, words: str
) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(problem=problem)
    page = browser.get(reverse("webhooks:detail", args=["ti", delivery.webhook_id]))
    assert words in page.content.decode()


@pytest.mark.parametrize(
    ("url", "setting"),
    [
        ("https://10.1.2.3/", "LOTSAWA_WEBHOOK_NETWORKS"),
        ("https://hooks.example.org:9/", "LOTSAWA_WEBHOOK_PORTS"),
    ],
)
def test_refused_address_names_the_setting_that_would_allow_it(
    browser: Client, project: Project, url: str, setting: str
) -> None:
    form = {"url": url, "events": ["round.closed"]}
    page = browser.post(reverse("webhooks:list", args=["ti"]), form)
    assert page.status_code == 400 and setting in page.content.decode()


def test_delivery_that_waits_for_its_next_try_says_when_and_is_tried_now(
    browser: Client, delivery: Delivery
) -> None:
    due = timezone.now() + timedelta(hours=6, minutes=1)
    rows = Delivery.objects.filter(pk=delivery.pk)
    rows.update(state="waiting", problem=Problem.TIMEOUT, tries=6, due_at=due)
    address = reverse("webhooks:detail", args=["ti", delivery.webhook_id])
    words = " ".join(browser.get(address).content.decode().split())
    assert "next try: 6 hours from now" in words and "Try now" in words
    page = browser.post(
        reverse("webhooks:again", args=["ti", delivery.webhook_id, delivery.pk]), follow=True
    )
    assert "It is sent within seconds" in page.content.decode()
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries, delivery.problem) == ("waiting", 0, "")
    assert delivery.due_at <= timezone.now()
    assert "Try now" not in page.content.decode()


def test_page_of_a_webhook_that_is_switched_off_promises_no_delivery(
    browser: Client, delivery: Delivery
) -> None:
    Webhook.objects.update(state="failing")
    address = reverse("webhooks:detail", args=["ti", delivery.webhook_id])
    words = browser.get(address).content.decode()
    assert (
        "Send a test</button>" not in words
        and "Messages that were given up are not sent then" in words
    )
    page = browser.post(
        reverse("webhooks:again", args=["ti", delivery.webhook_id, delivery.pk]), follow=True
    )
    words = page.content.decode()
    assert "It waits until you switch the webhook on again." in words
    assert "next try" not in words and "within seconds" not in words


def test_delivery_that_has_nothing_to_send_is_not_offered_again(
    browser: Client, api: APIClient, delivery: Delivery
) -> None:
    Delivery.objects.update(problem=Problem.UNREADABLE, payload={})
    address = reverse("webhooks:detail", args=["ti", delivery.webhook_id])
    assert "Send again" not in browser.get(address).content.decode()
    answer = api.post(f"{LIST}{delivery.webhook_id}/deliveries/{delivery.pk}/again/")
    assert (answer.status_code, answer.json()["code"]) == (409, "delivery_unreadable")
