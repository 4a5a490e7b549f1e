"""What a worker does for webhooks, every few seconds: read events, send what is due, tidy up."""

from collections.abc import Callable
from contextlib import nullcontext

from django.conf import settings
from django.utils import timezone

from common.outbox import Clock, Database
from webhooks.actions.delivering import Deliveries, Send
from webhooks.actions.managing import limits
from webhooks.actions.queueing import queue_deliveries, release_held, tidy_up
from webhooks.queries import webhooks_due
from webhooks.sending import Sender, trusted_certificates


def send_webhooks(
    *,
    clock: Clock = timezone.now,
    database: Database = nullcontext,
    send: Send | None = None,
    is_thorough: bool = True,
    is_stopping: Callable[[], bool] = lambda: False,
) -> int:
    """Send what is due until nothing is; return how many tries that were. If `is_thorough`, tidy up too.

    Each step at the database runs inside `database()`. Raises OSError where the certificates to
    trust cannot be read; nothing is tried then, so that it costs no delivery a try.
    """
    steps = [queue_deliveries, release_held, *([tidy_up] if is_thorough else [])]
    for step in steps:
        with database():
            step(now=clock())
    with database():
        if not webhooks_due(clock()).exists():
            return 0
    deliveries = Deliveries(send or _sender())
    return deliveries.send_due(clock=clock, database=database, is_stopping=is_stopping)


def _sender() -> Send:
    """As the settings say."""
    return Sender(limits(), trusted_certificates(settings.WEBHOOK_AUTHORITIES)).send_all
