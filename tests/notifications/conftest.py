"""A project with people and a worker's round."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.utils import timezone

from accounts.models import User
from notifications.presenters import present
from notifications.queries import notifications_for, shown
from notifications.worker import notify
from tests.review.conftest import (  # noqa: F401
    disputed,
    items,
    judge,
    opened,
    pema,
    reviewers,
    senior,
    tashi,
)


@pytest.fixture
def work(db: None) -> Callable[..., None]:
    """What a worker does for notifications: work(), or work(moment)."""

    def run(moment: datetime | None = None) -> None:
        notify(clock=lambda: moment or timezone.now())

    return run


def told(user: User) -> list[tuple[str, str]]:
    """(kind, text) of what `user` is told, newest first."""
    rows = notifications_for(user).order_by("-created_at", "-pk")
    return [(line.kind, line.text) for line in map(present, shown(rows))]
