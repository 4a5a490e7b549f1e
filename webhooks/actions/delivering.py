"""Sending what is due: take it, send it outside of any transaction, record how it ended.

At least once: taking a delivery counts its try and sets the next one, so one whose worker dies
between sending and recording is sent again, under the same id.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from accounts.actions import record_event
from webhooks.enums import DeliveryState, Problem, WebhookState
from webhooks.models import Delivery, Webhook
from webhooks.queries import due_deliveries, webhooks_due
from webhooks.sending import Outcome, Outgoing
from webhooks.signing import signature_headers

DELAYS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 60)
)
"""How long after each try the next one is due; after the last, when its worker is taken for dead."""
MOST_TRIES = len(DELAYS)
EACH = 4  # of one webhook at once, so that one that hangs does not hold up the others
AT_ONCE = 32

Send = Callable[[Sequence[Outgoing]], Mapping[int, Outcome]]
log = structlog.get_logger(__name__)


def deliver_due(
    *,
    now: datetime,
    send: Send,
    database: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> int:
    """Send a few of the deliveries that are due; return how many were sent.

    Everything that touches the database runs inside `database()`, and nothing that waits for a
    receiver does.
    """
    with database():
        taken = _take_due(now)
    if not taken:
        return 0
    outcomes = send([request for _delivery, request in taken])
    with database():
        for delivery, request in taken:
            _record(delivery, outcomes[request.key], now)
    return len(taken)


def _take_due(now: datetime) -> list[tuple[Delivery, Outgoing]]:
    taken = []
    for webhook in webhooks_due(now).select_related("project")[:AT_ONCE]:
        for delivery in due_deliveries(webhook, now)[:EACH]:
            delivery.webhook = webhook
            if delivery.tries >= MOST_TRIES:
                _give_up(delivery, Outcome(problem=Problem.LOST), now)
            elif _take(delivery, now):
                taken.append((delivery, _request(delivery, now)))
        if len(taken) >= AT_ONCE:
            break
    return taken


def _take(delivery: Delivery, now: datetime) -> bool:
    """Count a try; of two workers at once one gets it."""
    rows = Delivery.objects.filter(
        pk=delivery.pk, state=DeliveryState.WAITING, tries=delivery.tries, due_at=delivery.due_at
    )
    taken = rows.update(
        tries=F("tries") + 1,
        due_at=now + DELAYS[delivery.tries],
        first_tried_at=Coalesce("first_tried_at", now),
        tried_at=now,
    )
    delivery.tries += 1
    delivery.first_tried_at = delivery.first_tried_at or now
    return bool(taken)


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
    return Outgoing(delivery.pk, webhook.url, headers, body)


def _record(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    log.info(
        "webhooks.tried",
        delivery=str(delivery.uid),
        tries=delivery.tries,
        status=outcome.status,
        problem=str(outcome.problem),
    )
    if not outcome.problem:
        _succeed(delivery, outcome, now)
    elif delivery.tries >= MOST_TRIES:
        _give_up(delivery, outcome, now)
    else:
        _held_by(delivery).update(status=outcome.status, problem=outcome.problem)


def _held_by(delivery: Delivery) -> QuerySet[Delivery]:
    """The row as long as nobody else took it or asked for it again meanwhile."""
    return Delivery.objects.filter(
        pk=delivery.pk, state=DeliveryState.WAITING, tries=delivery.tries
    )


@transaction.atomic
def _succeed(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    # The webhook first, as whoever removes it or switches it on does.
    Webhook.objects.filter(pk=delivery.webhook_id).update(delivered_at=now)
    _held_by(delivery).update(
        state=DeliveryState.DELIVERED, delivered_at=now, status=outcome.status, problem=""
    )


@transaction.atomic
def _give_up(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    """After the last try; a webhook that took nothing since the first try is switched off.

    Its managers are told of that through the audit event.
    """
    rows = Webhook.objects.select_for_update(no_key=True)
    webhook = rows.filter(pk=delivery.webhook_id).first()  # None if it was removed since
    if webhook is None or not _held_by(delivery).update(
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
