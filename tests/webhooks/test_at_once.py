"""A webhook that managers change while a worker sends to it, or while somebody removes it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from projects.models import Project
from tests.races import interleave
from tests.webhooks.conftest import NOW
from webhooks.actions.delivering import Deliveries
from webhooks.actions.locks import WebhookGone
from webhooks.actions.managing import (
    add_webhook,
    change_webhook,
    remove_webhook,
    rotate_secret,
    switch_on,
)
from webhooks.actions.queueing import queue_deliveries, replay
from webhooks.enums import DeliveryState, WebhookState
from webhooks.models import Delivery, Webhook
from webhooks.sending import Outcome

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
]
Happen = Callable[..., AuditEvent]


@pytest.fixture
def webhook(project: Project) -> Webhook:
    return add_webhook(
        project=project,
        url="https://hooks.example.org/",
        events=["round.closed"],
        actor=None,
        now=NOW,
    ).webhook


def delivered() -> None:
    Deliveries(lambda rows: [Outcome(204)] * len(rows)).send_due(clock=lambda: NOW)


def test_webhook_is_switched_on_while_a_worker_delivers(webhook: Webhook, happen: Happen) -> None:
    happen("round.closed")
    queue_deliveries(now=NOW)

    def switch() -> None:
        Webhook.objects.update(state=WebhookState.FAILING)
        switch_on(webhook=webhook, actor=None, now=NOW)

    faults = interleave(delivered, switch, behind='"delivered_at" = ')

    assert faults == (None, None)
    assert Webhook.objects.get().state == WebhookState.ACTIVE
    assert Delivery.objects.get().state in (DeliveryState.DELIVERED, DeliveryState.WAITING)


@pytest.mark.parametrize(
    "act",
    [
        lambda webhook: change_webhook(
            webhook=webhook, events=["round.opened"], actor=None, now=NOW
        ),
        lambda webhook: rotate_secret(webhook=webhook, actor=None, now=NOW),
        lambda webhook: switch_on(webhook=webhook, actor=None, now=NOW),
        lambda webhook: replay(webhook=webhook, since=NOW, actor=None, now=NOW),
        lambda webhook: remove_webhook(
            webhook=Webhook.objects.get(pk=webhook.pk), actor=None, now=NOW
        ),
    ],
    ids=["change", "rotate", "switch on", "replay", "remove"],
)
def test_webhook_that_is_just_removed_is_refused_in_words(
    webhook: Webhook, act: Callable[[Webhook], Any]
) -> None:
    seen = Webhook.objects.get(pk=webhook.pk)

    removed, refused = interleave(
        lambda: remove_webhook(webhook=webhook, actor=None, now=timezone.now()),
        lambda: act(seen),
        behind='INSERT INTO "accounts_auditevent"',
    )

    assert removed is None
    assert isinstance(refused, WebhookGone)
    assert not Webhook.objects.exists()
    assert AuditEvent.objects.filter(verb="webhook.removed").count() == 1


def test_webhook_is_removed_while_a_worker_makes_its_deliveries(
    webhook: Webhook, happen: Happen
) -> None:
    happen("round.closed")

    removed, _queued = interleave(
        lambda: remove_webhook(webhook=webhook, actor=None, now=timezone.now()),
        lambda: queue_deliveries(now=NOW),
        behind='DELETE FROM "webhooks_delivery"',
    )

    assert removed is None
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()
