"""What a worker does for notifications, every few seconds: tell, show what waited, remind, mail."""

from collections.abc import Callable
from contextlib import nullcontext

from django.utils import timezone

from common.outbox import Clock, Database
from notifications.actions.delivery import advance_cursor, deliver_events, release_waiting
from notifications.actions.digests import queue_digests
from notifications.actions.reminders import remind_of_due_rounds


def notify(
    *,
    clock: Clock = timezone.now,
    database: Database = nullcontext,
    is_thorough: bool = True,
) -> None:
    """Tell people what is new; if `is_thorough`, also remind, queue digests and tidy up.

    Each step runs inside `database()`, and none waits for anything but the database.
    """
    steps: list[Callable[..., object]] = [deliver_events, release_waiting]
    if is_thorough:
        steps += [remind_of_due_rounds, queue_digests, advance_cursor]
    for step in steps:
        with database():
            step(now=clock())
