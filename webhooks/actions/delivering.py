"""Sends the deliveries that are due, each under the same id however often it is sent."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from accounts.actions import record_event
from common.outbox import Outbox
from webhooks.enums import DeliveryState, Problem, WebhookState
from webhooks.models import Delivery, Webhook
from webhooks.queries import due_deliveries, webhooks_due
from webhooks.sending import Outcome, Outgoing
from webhooks.signing import signature_headers

DELAYS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 60)
)
EACH = 4  # of one webhook at once, so that one that hangs does not hold up the others

Send = Callable[[Sequence[Outgoing]], Sequence[Outcome]]
log = structlog.get_logger(__name__)


class Deliveries(Outbox[Delivery, Outgoing, Outcome]):
    """The deliveries that wait, a few of each webhook at once, sent by `send`."""

    delays = DELAYS
    at_once = 32

    def __init__(self, send: Send) -> None:
        self._send = send

    def waiting(self) -> QuerySet[Delivery]:
        return Delivery.objects.filter(state=DeliveryState.WAITING)

    def due(self, now: datetime) -> Iterator[Delivery]:
        for webhook in webhooks_due(now).select_related("project")[: self.at_once]:
            for delivery in due_deliveries(webhook, now)[:EACH]:
                delivery.webhook = webhook
                yield delivery

    def marks(self, row: Delivery, now: datetime) -> dict[str, Any]:
        return {"first_tried_at": row.first_tried_at or now, "tried_at": now}

    def write(self, row: Delivery, now: datetime) -> Outgoing:
        return _request(row, now)

    def send(self, messages: Sequence[Outgoing]) -> Sequence[Outcome]:
        return self._send(messages)

    def record(self, row: Delivery, outcome: Outcome, now: datetime) -> None:
        log.info(
            "webhooks.tried",
            delivery=str(row.uid),
            tries=row.tries,
            status=outcome.status,
            problem=str(outcome.problem),
        )
        if not outcome.problem:
            _succeed(row, self.held(row), outcome, now)
        elif row.tries >= len(DELAYS):
            _give_up(row, self.held(row), outcome, now)
        else:
            self.held(row).update(status=outcome.status, problem=outcome.problem)

    def give_up(self, row: Delivery, now: datetime) -> None:
        _give_up(row, self.held(row), Outcome(problem=Problem.LOST), now)


def _request(delivery: Delivery, now: datetime) -> Outgoing:
    body = json.dumps(
        {"id": str(delivery.uid), **delivery.payload}, ensure_ascii=False, sort_keys=True
    ).encode()
    webhook = delivery.webhook
    nonces = [webhook.nonce]
    if webhook.previous_nonce and webhook.previous_until and now < webhook.previous_until:
        nonces.append(webhook.previous_nonce)
    signed = signature_headers(delivery=str(delivery.uid), body=body, nonces=nonces, now=now)
    headers = {
        "content-type": "application/json",
        "user-agent": f"Lotsawa/{settings.VERSION}",
        **signed,
    }
    return Outgoing(webhook.url, headers, body)


@transaction.atomic
def _succeed(delivery: Delivery, held: QuerySet[Delivery], outcome: Outcome, now: datetime) -> None:
    # The webhook first, as whoever removes it or switches it on does.
    Webhook.objects.filter(pk=delivery.webhook_id).update(delivered_at=now)
    held.update(state=DeliveryState.DELIVERED, delivered_at=now, status=outcome.status, problem="")


@transaction.atomic
def _give_up(delivery: Delivery, held: QuerySet[Delivery], outcome: Outcome, now: datetime) -> None:
    """After the last try; a webhook that took nothing since the first try is switched off.

    Its managers are told of that through the audit event.
    """
    rows = Webhook.objects.select_for_update(no_key=True)
    webhook = rows.filter(pk=delivery.webhook_id).first()  # None if it was removed since
    if webhook is None or not held.update(
        state=DeliveryState.FAILED, status=outcome.status, problem=outcome.problem
    ):
        return
    last, first = webhook.delivered_at, delivery.first_tried_at
    if last and first and last >= first:
        return
    active = Webhook.objects.filter(pk=webhook.pk, state=WebhookState.ACTIVE)
    if active.update(state=WebhookState.FAILING):
        record_event(
            actor=None,
            verb="webhook.failing",
            target=f"webhook:{webhook.pk}",
            scope=delivery.webhook.project.slug,
            data={"delivery": str(delivery.uid), "problem": str(outcome.problem)},
            now=now,
        )
