"""Reading the audit events: who did what and when, filtered, with the words for each verb."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Max, QuerySet
from django.utils.functional import Promise
from django.utils.module_loading import module_has_submodule
from django.utils.translation import get_language, override

from accounts.models import AuditEvent, User

AUDIT_COLUMNS = (
    "id",
    "occurred_at",
    "actor",
    "verb",
    "project",
    "target",
    "data",
    "request_id",
)
ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which events to read; empty means any. `since` is included, `until` is not."""

    project: str = ""
    actor: str = ""
    verb: str = ""
    since: datetime | None = None
    until: datetime | None = None


def audit_events(wanted: AuditFilter) -> QuerySet[AuditEvent]:
    """The events that `wanted` names; order them by `-pk` to read the newest first.

    `actor` is an e-mail address in any case; `verb` is a whole verb (`round.opened`) or the part
    before the point (`round`).
    """
    events = AuditEvent.objects.all()
    if wanted.project:
        events = events.filter(scope=wanted.project)
    if wanted.actor:
        # The person first, so that the database can use the index on the actor.
        events = events.filter(actor__in=list(_people_at(wanted.actor)))
    if wanted.verb:
        events = events.filter(verb=wanted.verb) | events.filter(verb__startswith=f"{wanted.verb}.")
    if wanted.since:
        events = events.filter(occurred_at__gte=wanted.since)
    if wanted.until:
        events = events.filter(occurred_at__lt=wanted.until)
    return events


def newest_event(scope: str) -> int:
    """Return the id of the newest event of a scope, 0 if there is none: it tells whether anybody acted."""
    found = AuditEvent.objects.filter(scope=scope).aggregate(Max("pk"))
    return found["pk__max"] or 0


def audit_rows(events: QuerySet[AuditEvent]) -> Iterator[dict[str, Any]]:
    """Each event as plain values under the names of AUDIT_COLUMNS, newest first, as a stream.

    In the language of this call: a stream may be read when another one is active.
    """
    return _audit_rows(events, get_language() or settings.LANGUAGE_CODE)


def _audit_rows(events: QuerySet[AuditEvent], language: str) -> Iterator[dict[str, Any]]:
    for event in events.order_by("-pk").iterator(chunk_size=ROWS_AT_ONCE):
        with override(language):
            row = audit_row(event)
        yield row


def audit_row(event: AuditEvent) -> dict[str, Any]:
    return {
        "id": event.pk,
        "occurred_at": event.occurred_at.isoformat(),
        "actor": event.actor_name,
        "verb": event.verb,
        "project": event.scope,
        "target": event.target,
        "data": told_data(event),
        "request_id": event.request_id,
    }


@cache
def audit_verbs() -> Mapping[str, str | Promise]:
    """Every verb that the apps declare in their `audit_verbs` modules, with its words."""
    found: dict[str, str | Promise] = {}
    for module in _modules():
        found |= module.VERBS
    return dict(sorted(found.items()))


def told_data(event: AuditEvent) -> dict[str, Any]:
    """Return the event's data, with words in the reader's language where its app adds them.

    An app does so with a function for the verb in `TOLD` of its `audit_verbs` module.
    """
    tell = _tellers().get(event.verb)
    found: dict[str, Any] = tell(event.data) if tell else event.data
    return found


def verb_label(verb: str) -> str:
    """What the verb says to people; the verb itself where no app declares it any more."""
    return str(audit_verbs().get(verb, verb))


@cache
def _tellers() -> Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]:
    found: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}
    for module in _modules():
        found |= getattr(module, "TOLD", {})
    return found


def _modules() -> Iterator[ModuleType]:
    for config in apps.get_app_configs():
        if config.module is not None and module_has_submodule(config.module, "audit_verbs"):
            yield import_module(f"{config.name}.audit_verbs")


def _people_at(email: str) -> QuerySet[User, int]:
    return User.objects.filter(email__iexact=email.strip()).values_list("pk", flat=True)
