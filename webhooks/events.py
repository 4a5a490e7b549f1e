"""Which audit events are sent under which name, and what is said of each.

What is said are ids, numbers, versions, states and links: never a text, a key, a source's id of an
item, or a word that somebody wrote.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.urls import reverse

from accounts.mail import site_url
from accounts.models import AuditEvent
from jobs.models import Job
from releases.models import Release
from review.models import Panel, Round
from webhooks.enums import EventName

_OF_VERB: Mapping[str, EventName] = {
    "release.built": EventName.RELEASE_BUILT,
    "release.published": EventName.RELEASE_PUBLISHED,
    "release.yanked": EventName.RELEASE_YANKED,
    "round.opened": EventName.ROUND_OPENED,
    "round.paused": EventName.ROUND_PAUSED,
    "round.resumed": EventName.ROUND_RESUMED,
    "round.closed": EventName.ROUND_CLOSED,
    "round.discarded": EventName.ROUND_DISCARDED,
    "panel.disputed": EventName.DISPUTE_OPENED,
    "panel.agreed": EventName.DISPUTE_SETTLED,
    "panel.adjudicated": EventName.DISPUTE_SETTLED,
    "panel.key_settled": EventName.DISPUTE_SETTLED,
    "panel.reopened": EventName.DISPUTE_REOPENED,
    "webhook.pinged": EventName.PING,
}
_OF_JOBS: Mapping[EventName, tuple[str, ...]] = {
    EventName.JOB_STARTED: (".started",),
    EventName.JOB_RESUMED: (".resumed",),
    EventName.JOB_ENDED: (".started", ".resumed"),
}


@dataclass(frozen=True, slots=True)
class Content:
    """What an event is sent as; one with a `job` that is held waits for the job's end."""

    name: EventName
    data: Mapping[str, Any]
    job: Job | None = None


def matching(name: str) -> Q:
    """The audit events that `name` is sent for."""
    found = Q(verb__in=[verb for verb, each in _OF_VERB.items() if each == name])
    for ending in _OF_JOBS.get(EventName(name), ()):
        found |= Q(verb__endswith=ending, target__startswith="job:")
    return found


def contents(event: AuditEvent, wanted: Iterable[str]) -> Iterator[Content]:
    """What is to be sent of `event`, among the names that are `wanted`."""
    names = {*wanted}
    if event.target.startswith("job:"):
        yield from _of_job(event, names)
        return
    name = _OF_VERB.get(event.verb)
    if name is None or (name not in names and name != EventName.PING):
        return
    data = _DATA[event.target.partition(":")[0]](event)
    if data is not None:
        yield Content(name, data)


def name_of(event: AuditEvent) -> EventName:
    """What an event is called where nothing else is known of it."""
    return _OF_VERB.get(event.verb, EventName.JOB_STARTED)


def job_data(job: Job) -> dict[str, Any]:
    return {
        "id": job.pk,
        "kind": job.kind,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "error": job.error_code,
        "url": site_url(reverse("jobs:job", args=[job.pk])),
    }


def body_of(event: AuditEvent, name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The whole payload."""
    return {
        "type": str(name),
        "timestamp": event.occurred_at.isoformat(),
        "project": event.scope,
        "audit_event": event.pk,
        "data": dict(data),
    }


def _of_job(event: AuditEvent, names: set[str]) -> Iterator[Content]:
    job = Job.objects.filter(pk=_number(event)).first()
    if job is None:
        return
    for name, endings in _OF_JOBS.items():
        if name in names and event.verb.endswith(endings):
            yield Content(name, job_data(job), job)


def _number(event: AuditEvent) -> int:
    number = event.target.partition(":")[2]
    return int(number) if number.isdecimal() else 0


def _release(event: AuditEvent) -> dict[str, Any] | None:
    release = Release.objects.filter(pk=_number(event)).first()
    if release is None:
        return None
    counts = {name: release.counts.get(name) for name in ("items", "test", "dev", "open")}
    return {
        "version": release.version,
        "state": release.state,
        "content_hash": release.content_hash,
        **counts,
        "url": site_url(reverse("releases:detail", args=[event.scope, release.version])),
    }


def _round(event: AuditEvent) -> dict[str, Any] | None:
    """A round that was discarded has left nothing but its number."""
    row = Round.objects.filter(pk=_number(event)).first()
    number = row.number if row and row.number else event.data.get("number")
    if not isinstance(number, int):
        return None
    data: dict[str, Any] = {"number": number}
    if row and row.number:
        url = site_url(reverse("review:round", args=[event.scope, number]))
        data |= {"state": row.state, "url": url}
    return data


def _panel(event: AuditEvent) -> dict[str, Any] | None:
    """Nothing of control items, which nobody must be able to tell."""
    panel = Panel.objects.select_related("round").filter(pk=_number(event)).first()
    if panel is None:
        return None
    return {"id": panel.pk, "round": panel.round.number, "state": panel.state}


def _webhook(event: AuditEvent) -> dict[str, Any]:
    return {"webhook": _number(event)}


_DATA: dict[str, Callable[[AuditEvent], dict[str, Any] | None]] = {
    "release": _release,
    "round": _round,
    "panel": _panel,
    "webhook": _webhook,
}
