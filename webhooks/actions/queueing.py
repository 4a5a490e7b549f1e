"""Turning audit events into deliveries: once each, whoever reads them and however often.

A delivery is its own mark that its event was read: one a webhook, event and name. A worker that
dies in between has made it or not, two at once make it once, and an event that commits late is
found behind later ones, because everything of the last hour is looked at again.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

import structlog
from django.db import Error, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import AuditEvent, User
from common.db import LARGEST_ID
from common.errors import DomainError
from webhooks.actions.locks import lock_webhook
from webhooks.enums import DeliveryState, EventName, Problem
from webhooks.events import Content, body_of, contents, job_data, name_of
from webhooks.models import Delivery, Webhook
from webhooks.queries import ended_jobs, events_since, unread_events

AT_ONCE = 500
MOST_REPLAYED = 10_000
# No transaction that appends an event takes as long; what is older is complete.
SETTLED_AFTER = timedelta(hours=1)
KEPT = timedelta(days=30)

log = structlog.get_logger(__name__)


class DeliveryPending(DomainError):
    code = "delivery_pending"
    detail = _("This delivery is sent within seconds or when its job has ended.")


class DeliveryUnreadable(DomainError):
    code = "delivery_unreadable"
    detail = _("What happened can no longer be read, so it cannot be sent.")


def queue_deliveries(*, now: datetime) -> int:
    """Make deliveries of the events that webhooks have not been sent; return how many."""
    count = 0
    for webhook in Webhook.objects.select_related("project").order_by("pk"):
        for event in _unread(webhook):
            count += _queue(webhook, event, now)
    return count


def release_held(*, now: datetime) -> int:
    """Make due what waited for the end of a job; return how many."""
    count = 0
    for row in ended_jobs()[:AT_ONCE]:
        assert row.job is not None  # noqa: S101 - the query asks for its state
        body = body_of(row.event, row.name, job_data(row.job))
        held = Delivery.objects.filter(pk=row.pk, state=DeliveryState.HELD)
        count += held.update(state=DeliveryState.WAITING, due_at=now, payload=body)
    return count


def tidy_up(*, now: datetime) -> None:
    """Move webhooks over old events, so that few are looked at again, and forget old deliveries.

    Some events are never told, such as those of control items: what was tried is passed over.
    """
    old = AuditEvent.objects.filter(occurred_at__lt=now - SETTLED_AFTER)
    last = old.aggregate(last=Max("pk"))["last"] or 0
    for webhook in Webhook.objects.filter(read_event__lt=last).select_related("project"):
        for event in _unread(webhook, until=last):
            _queue(webhook, event, now)
        Webhook.objects.filter(pk=webhook.pk, read_event__lt=last).update(read_event=last)
    ended = [DeliveryState.DELIVERED, DeliveryState.FAILED]
    Delivery.objects.filter(state__in=ended, created_at__lt=now - KEPT).delete()


def replay(*, webhook: Webhook, since: datetime, actor: User | None, now: datetime) -> int:
    """Send everything since a moment again, under the ids that it had; return how many.

    What waits already is left alone. The audit row is written in the same transaction.
    Raises WebhookGone.
    """
    count = 0
    with transaction.atomic():
        lock_webhook(webhook.pk)
        for event in events_since(webhook, since)[:MOST_REPLAYED]:
            rows = Delivery.objects.filter(webhook=webhook, event=event)
            count += _again(rows, now) if rows.exists() else _queue(webhook, event, now)
        record_event(
            actor=actor,
            verb="webhook.replayed",
            target=f"webhook:{webhook.pk}",
            scope=webhook.project.slug,
            data={"since": since.isoformat(), "deliveries": count},
            now=now,
        )
    return count


@transaction.atomic
def send_again(*, delivery: Delivery, actor: User | None, now: datetime) -> None:
    """Have one delivery sent again, under the same id, or now instead of at its next try.

    It has all its tries again. Raises DeliveryPending for one that has not been tried,
    DeliveryUnreadable for one that has nothing to send.
    """
    if delivery.problem == Problem.UNREADABLE:
        raise DeliveryUnreadable
    rows = Delivery.objects.filter(pk=delivery.pk)
    if not (_again(rows, now) or _sooner(rows, now)):
        raise DeliveryPending
    record_event(
        actor=actor,
        verb="webhook.replayed",
        target=f"webhook:{delivery.webhook_id}",
        scope=delivery.webhook.project.slug,
        data={"delivery": str(delivery.uid), "deliveries": 1},
        now=now,
    )


def _unread(webhook: Webhook, until: int = LARGEST_ID) -> Iterator[AuditEvent]:
    """All of them, part by part: those that are never told must not stand before the others."""
    after = 0
    while part := list(unread_events(webhook).filter(pk__gt=after, pk__lte=until)[:AT_ONCE]):
        yield from part
        after = part[-1].pk


def _again(rows: QuerySet[Delivery], now: datetime) -> int:
    ended = rows.filter(state__in=[DeliveryState.DELIVERED, DeliveryState.FAILED])
    return ended.exclude(payload={}).update(
        state=DeliveryState.WAITING, tries=0, due_at=now, first_tried_at=None, problem=""
    )


def _sooner(rows: QuerySet[Delivery], now: datetime) -> int:
    """What a worker records meanwhile of an older try is of a number of tries that is gone."""
    failed = rows.filter(state=DeliveryState.WAITING).exclude(problem="")
    return failed.update(tries=0, due_at=now, first_tried_at=None, problem="")


def _queue(webhook: Webhook, event: AuditEvent, now: datetime) -> int:
    """An event that cannot be read must not hold up those after it."""
    try:
        found = list(contents(event, webhook.events))
        rows = [_row(webhook, event, each, now) for each in found]
    except Error:
        raise  # the database: the next round tries again
    except Exception:
        log.exception("webhooks.not_queued", audit_event=event.pk, verb=event.verb)
        rows = [_unreadable(webhook, event, now)]
    return len(Delivery.objects.bulk_create(rows, ignore_conflicts=True))


def _row(webhook: Webhook, event: AuditEvent, content: Content, now: datetime) -> Delivery:
    is_held = content.name == EventName.JOB_ENDED
    return Delivery(
        webhook=webhook,
        event=event,
        name=content.name,
        job=content.job,
        payload=body_of(event, content.name, content.data),
        state=DeliveryState.HELD if is_held else DeliveryState.WAITING,
        due_at=now,
        created_at=now,
    )


def _unreadable(webhook: Webhook, event: AuditEvent, now: datetime) -> Delivery:
    return Delivery(
        webhook=webhook,
        event=event,
        name=name_of(event),
        state=DeliveryState.FAILED,
        problem=Problem.UNREADABLE,
        due_at=now,
        created_at=now,
    )
