"""What managers do with webhooks: add, change, remove, ping, rotate the secret, switch on again."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import AuditEvent, User
from common.addresses import Limits, read_networks
from common.errors import DomainError
from projects.locks import lock_project
from projects.models import Project
from webhooks.actions.locks import lock_webhook
from webhooks.enums import CHOSEN, DeliveryState, WebhookState
from webhooks.models import Webhook
from webhooks.signing import new_nonce, secret_of

OVERLAP = timedelta(hours=24)
MOST = 20
LONGEST = 500


class WebhookInvalid(DomainError):
    code = "webhook_invalid"
    detail = _("Correct the fields below.")
    status = 400


class TooManyWebhooks(DomainError):
    code = "too_many_webhooks"
    detail = _("A project can have %(most)s webhooks. Remove one first.")


class WebhookExists(DomainError):
    code = "webhook_exists"
    detail = _("This project already has a webhook with this address.")


class WebhookActive(DomainError):
    code = "webhook_active"
    detail = _("This webhook is already active.")


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A webhook with a secret that nobody is shown again."""

    webhook: Webhook
    secret: str


def limits() -> Limits:
    """What the settings allow."""
    return Limits(frozenset(settings.WEBHOOK_PORTS), read_networks(settings.WEBHOOK_NETWORKS))


def add_webhook(
    *, project: Project, url: str, events: Collection[str], actor: User | None, now: datetime
) -> NewSecret:
    """Add an address; it is sent what happens from now on. The audit row in the same transaction.

    Raises WebhookInvalid with the fields, TooManyWebhooks, WebhookExists.
    """
    _check(url, events)
    with transaction.atomic():
        lock_project(project.pk)
        if project.webhooks.count() >= MOST:
            raise TooManyWebhooks(most=MOST)
        last = _last_event()
        webhook = _create(
            project=project,
            url=url,
            events=dict.fromkeys(sorted(events), last),
            nonce=new_nonce(),
            read_event=last,
            created_by=actor,
            created_at=now,
        )
        data = {"host": urlsplit(url).hostname, "events": sorted(events)}
        _record(webhook, "webhook.added", actor, now, data)
    return NewSecret(webhook, secret_of(webhook.nonce))


@transaction.atomic
def change_webhook(
    *, webhook: Webhook, events: Collection[str], actor: User | None, now: datetime
) -> None:
    """Choose other events; of those that are new, it is sent what happens from now on.

    Raises WebhookInvalid, WebhookGone.
    """
    _check(webhook.url, events)
    locked = lock_webhook(webhook.pk)
    last = _last_event()
    chosen = {name: locked.events.get(name, last) for name in sorted(events)}
    Webhook.objects.filter(pk=webhook.pk).update(events=chosen)
    webhook.events = chosen
    _record(webhook, "webhook.changed", actor, now, {"events": sorted(events)})


@transaction.atomic
def remove_webhook(*, webhook: Webhook, actor: User | None, now: datetime) -> None:
    """Remove it with the list of its deliveries; what waits is not sent any more.

    Raises WebhookGone.
    """
    lock_webhook(webhook.pk, for_removal=True)
    _record(webhook, "webhook.removed", actor, now, {"host": urlsplit(webhook.url).hostname})
    webhook.delete()


@transaction.atomic
def rotate_secret(*, webhook: Webhook, actor: User | None, now: datetime) -> NewSecret:
    """Make a new secret; for a day the last one signs too, so that receivers can change over.

    Raises WebhookGone.
    """
    locked = lock_webhook(webhook.pk)
    locked.previous_nonce, locked.previous_until = locked.nonce, now + OVERLAP
    locked.nonce = new_nonce()
    locked.save(update_fields=["nonce", "previous_nonce", "previous_until"])
    _record(locked, "webhook.secret_rotated", actor, now, {})
    return NewSecret(locked, secret_of(locked.nonce))


@transaction.atomic
def ping_webhook(*, webhook: Webhook, actor: User | None, now: datetime) -> AuditEvent:
    """Record a ping: a worker sends it within seconds, like everything else."""
    return _record(webhook, "webhook.pinged", actor, now, {})


@transaction.atomic
def switch_on(*, webhook: Webhook, actor: User | None, now: datetime) -> None:
    """Have what waits sent at once, each with all its tries. Raises WebhookActive, WebhookGone."""
    lock_webhook(webhook.pk)
    rows = Webhook.objects.filter(pk=webhook.pk, state=WebhookState.FAILING)
    if not rows.update(state=WebhookState.ACTIVE, delivered_at=None):
        raise WebhookActive
    webhook.deliveries.filter(state=DeliveryState.WAITING).update(
        tries=0, due_at=now, first_tried_at=None
    )
    webhook.refresh_from_db()
    _record(webhook, "webhook.switched_on", actor, now, {})


def _create(**values: Any) -> Webhook:
    try:
        with transaction.atomic():
            return Webhook.objects.create(**values)
    except IntegrityError as error:
        raise WebhookExists from error


def _check(url: str, events: Collection[str]) -> None:
    fields = {}
    if problem := _problem_of(url):
        fields["url"] = [str(problem)]
    if not events or {*events} - {*CHOSEN}:
        known = ", ".join(CHOSEN)
        fields["events"] = [str(_("Choose at least one of: %s.") % known)]
    if fields:
        raise WebhookInvalid(fields=fields)


def _problem_of(url: str) -> Any:
    """What is wrong with an address that can be seen without asking for it; else nothing."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        host, port = None, 443
    if not host or parts.scheme != "https" or not url.isprintable() or " " in url:
        return _("Enter an address that begins with https://.")
    if len(url) > LONGEST:
        return _("Enter at most %d characters.") % LONGEST
    if parts.username or parts.password or parts.fragment:
        return _("Leave out the user name, the password and what follows “#”.")
    allowed = limits()
    if not allowed.allows_port(port):
        ports = ", ".join(map(str, sorted(settings.WEBHOOK_PORTS)))
        return (
            _(
                "Use one of these ports: %s. The administrator can allow others with "
                "LOTSAWA_WEBHOOK_PORTS."
            )
            % ports
        )
    if not allowed.allows_host(host):
        return _(
            "This is an address of a private network, which this server may not call. The "
            "administrator can allow the network with LOTSAWA_WEBHOOK_NETWORKS."
        )
    return None


def _last_event() -> int:
    return AuditEvent.objects.aggregate(last=Max("pk"))["last"] or 0


def _record(
    webhook: Webhook, verb: str, actor: User | None, now: datetime, data: Mapping[str, Any]
) -> AuditEvent:
    return record_event(
        actor=actor,
        verb=verb,
        target=f"webhook:{webhook.pk}",
        scope=webhook.project.slug,
        data=dict(data),
        now=now,
    )
