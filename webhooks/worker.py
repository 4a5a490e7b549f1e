"""What a worker does for webhooks, every few seconds: read events, send what is due, tidy up."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

import httpx
from django.utils import timezone

from webhooks.actions.delivering import Send, deliver_due
from webhooks.actions.managing import limits
from webhooks.actions.queueing import queue_deliveries, release_held, tidy_up
from webhooks.sending import Outcome, Outgoing, Sender


def send_webhooks(
    *,
    clock: Callable[[], datetime] = timezone.now,
    database: Callable[[], AbstractContextManager[object]] = nullcontext,
    send: Send | None = None,
    is_thorough: bool = True,
    is_stopping: Callable[[], bool] = lambda: False,
) -> int:
    """Send what is due until nothing is; return how many were sent. If `is_thorough`, tidy up too.

    Each step at the database runs inside `database()`.
    """
    steps = [queue_deliveries, release_held, *([tidy_up] if is_thorough else [])]
    for step in steps:
        with database():
            step(now=clock())
    count = 0
    while not is_stopping():
        sent = deliver_due(now=clock(), send=send or _send, database=database)
        if not sent:
            break
        count += sent
    return count


def _send(requests: Sequence[Outgoing]) -> Mapping[int, Outcome]:
    """As the settings say; certificates are checked against the usual authorities."""
    return Sender(limits(), httpx.create_ssl_context()).send_all(requests)
