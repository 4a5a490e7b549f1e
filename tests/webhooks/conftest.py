"""A project with a webhook whose receiver is on loopback."""

import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.actions import record_event
from accounts.models import AuditEvent
from projects.models import Project
from tests.webhooks.receiver import HERE, Receiver, receiving
from webhooks.actions.managing import NewSecret, add_webhook, limits
from webhooks.enums import CHOSEN
from webhooks.sending import Sender
from webhooks.worker import send_webhooks

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    with receiving() as found:
        settings.WEBHOOK_PORTS = [443, found.port]
        settings.WEBHOOK_NETWORKS = ["127.0.0.0/8", "::1/128"]
        yield found


@pytest.fixture
def sender(receiver: Receiver) -> Sender:
    """Trusts the receiver's certificate and finds its name on loopback."""
    verify = ssl.create_default_context(cafile=str(HERE / "cert.pem"))
    return Sender(limits(), verify, resolve=lambda _host, _port: ["127.0.0.1"], seconds=60)


@pytest.fixture
def issued(project: Project, receiver: Receiver) -> NewSecret:
    return add_webhook(project=project, url=receiver.url, events=CHOSEN, actor=None, now=NOW)


class Worker:
    """What a worker does for webhooks, at a time of our own."""

    def __init__(self, sender: Sender) -> None:
        self.now, self.send = NOW, sender.send_all

    def work(self, *, after: timedelta = timedelta(0)) -> int:
        self.now += after
        return send_webhooks(clock=lambda: self.now, send=self.send)


@pytest.fixture
def worker(sender: Sender) -> Worker:
    return Worker(sender)


@pytest.fixture
def happen(project: Project) -> Callable[..., AuditEvent]:
    """happen("round.closed", "round:1", number=1)"""

    def record(verb: str, target: str = "round:0", now: datetime = NOW, **data: Any) -> AuditEvent:
        data = data or {"number": 7}
        return record_event(
            actor=None, verb=verb, target=target, scope=project.slug, data=data, now=now
        )

    return record
