"""The audit row of whatever is done to submissions."""

from datetime import datetime
from typing import Any

from accounts.actions import record_event
from accounts.models import User
from projects.models import Project


def record(
    verb: str,
    target: str,
    project: Project,
    data: dict[str, Any],
    actor: User | None,
    now: datetime,
) -> None:
    record_event(actor=actor, verb=verb, target=target, scope=project.slug, data=data, now=now)
