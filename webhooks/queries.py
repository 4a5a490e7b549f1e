"""Which events a webhook has not been sent, and which deliveries are due."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import AuditEvent
from jobs.enums import ENDED_JOB_STATES
from projects.models import Project
from webhooks.enums import DeliveryState, EventName, WebhookState
from webhooks.events import matching
from webhooks.models import Delivery, Webhook


def webhooks_of(project: Project) -> QuerySet[Webhook]:
    return Webhook.objects.filter(project=project).order_by("pk")


def unread_events(webhook: Webhook) -> QuerySet[AuditEvent]:
    """Events since each name was chosen that no delivery was made of, the oldest first."""
    wanted = matching(EventName.PING) & Q(target=f"webhook:{webhook.pk}")
    for name, start in webhook.events.items():
        wanted |= matching(name) & Q(pk__gt=start)
    made = Delivery.objects.filter(webhook=webhook, event=OuterRef("pk"))
    rows = AuditEvent.objects.filter(
        wanted, ~Exists(made), scope=webhook.project.slug, pk__gt=webhook.read_event
    )
    return rows.order_by("pk")


def events_since(webhook: Webhook, since: datetime) -> QuerySet[AuditEvent]:
    """What the webhook is for, from `since` on, whether it was sent or not."""
    wanted = Q(pk__in=[])
    for name in webhook.events:
        wanted |= matching(name)
    rows = AuditEvent.objects.filter(wanted, scope=webhook.project.slug, occurred_at__gte=since)
    return rows.order_by("pk")


def ended_jobs() -> QuerySet[Delivery]:
    """Held deliveries whose job has ended."""
    rows = Delivery.objects.filter(state=DeliveryState.HELD, job__state__in=ENDED_JOB_STATES)
    return rows.select_related("job", "event").order_by("pk")


def webhooks_due(now: datetime) -> QuerySet[Webhook]:
    """Active webhooks for which something is due."""
    due = Delivery.objects.filter(
        webhook=OuterRef("pk"), state=DeliveryState.WAITING, due_at__lte=now
    )
    return Webhook.objects.filter(Exists(due), state=WebhookState.ACTIVE).order_by("pk")


def due_deliveries(webhook: Webhook, now: datetime) -> QuerySet[Delivery]:
    rows = webhook.deliveries.filter(state=DeliveryState.WAITING, due_at__lte=now)
    return rows.order_by("due_at", "pk")


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """Without their payloads, which nobody asks for in a list."""
    return Delivery.objects.filter(webhook=webhook).defer("payload")
