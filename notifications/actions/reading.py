"""Marking notifications as read."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from notifications.actions.counting import recount
from notifications.models import Notification


def mark_read(*, user: User, ids: Collection[int], now: datetime) -> None:
    """Mark those of `ids` that are the person's as read; others are left alone."""
    _mark(user, Notification.objects.filter(user=user, pk__in=ids), now)


def mark_all_read(*, user: User, now: datetime) -> None:
    """Mark all that `user` was told up to `now`; what waits still is not read."""
    _mark(user, Notification.objects.filter(user=user, created_at__lte=now), now)


@transaction.atomic
def _mark(user: User, rows: QuerySet[Notification], now: datetime) -> None:
    rows.filter(read_at__isnull=True, is_waiting=False).update(read_at=now)
    recount({user.pk})
    user.refresh_from_db(fields=["unread_count"])
