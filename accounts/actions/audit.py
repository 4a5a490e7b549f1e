"""The one way to append to the record of what was done."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import structlog

from accounts.models import AuditEvent, User
from common.prepared import insert_prepared

ANONYMOUS = "-"
AT_ONCE = 500


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
    return insert_prepared(_event(actor, verb, target, scope, data or {}, now))


def record_events(
    *,
    actor: User | None,
    verb: str,
    targets: Mapping[str, dict[str, Any]],
    now: datetime,
    scope: str = "",
) -> None:
    """Append a row for each target with its data, in their order and by few statements."""
    rows = [_event(actor, verb, target, scope, data, now) for target, data in targets.items()]
    AuditEvent.objects.bulk_create(rows, batch_size=AT_ONCE)


def _event(
    actor: User | None, verb: str, target: str, scope: str, data: dict[str, Any], now: datetime
) -> AuditEvent:
    return AuditEvent(
        actor=actor,
        actor_name=actor.email if actor else ANONYMOUS,
        verb=verb,
        target=target,
        scope=scope,
        data=data,
        request_id=str(structlog.contextvars.get_contextvars().get("request_id", "")),
        occurred_at=now,
    )
