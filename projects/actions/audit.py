"""The audit rows of projects and memberships."""

from datetime import datetime
from typing import Any

from accounts.actions import record_event
from accounts.models import User
from projects.models import Membership, Project


def record(
    project: Project,
    *,
    actor: User | None,
    verb: str,
    target: Project | Membership,
    now: datetime,
    data: dict[str, Any] | None = None,
) -> None:
    kind = "project" if isinstance(target, Project) else "membership"
    record_event(
        actor=actor,
        verb=verb,
        target=f"{kind}:{target.pk}",
        now=now,
        scope=project.slug,
        data=data,
    )
