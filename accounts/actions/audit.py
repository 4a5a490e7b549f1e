"""The one way to append to the record of what was done."""

from datetime import datetime
from typing import Any

import structlog

from accounts.models import AuditEvent, User

ANONYMOUS = "-"


def record_event(
    *,
    actor: User | None,
    verb: str,
    target: str,
    now: datetime,
    scope: str = "",
    data: dict[str, Any] | None = None,
) -> AuditEvent:
    """Append one audit row; call it inside the transaction of what it records."""
    return AuditEvent.objects.create(
        actor=actor,
        actor_name=actor.email if actor else ANONYMOUS,
        verb=verb,
        target=target,
        scope=scope,
        data=data or {},
        request_id=str(structlog.contextvars.get_contextvars().get("request_id", "")),
        occurred_at=now,
    )
