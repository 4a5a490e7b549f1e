"""Telling people what the audit events say: once each, whoever reads them and however often.

Each event is told in one transaction with the row that says so. A worker that dies in between has
told nothing, two workers at once tell it once, and nothing is missed that commits late.
"""

from datetime import datetime, timedelta

import structlog
from django.db import Error, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from accounts.models import AuditEvent
from jobs.enums import JobState
from notifications.actions.counting import recount
from notifications.models import Cursor, Notification, ToldEvent
from notifications.queries import may_be_shown, waiting_notifications
from notifications.recipients import JOB_VERBS, Told, told_of, told_verbs
from projects.models import Membership, Project

AT_ONCE = 200
# No transaction that appends an event takes as long; what is older is complete.
SETTLED_AFTER = timedelta(hours=1)
MEMBER_VERBS = ("member.removed", "member.added", "member.changed")

log = structlog.get_logger(__name__)


def deliver_events(*, now: datetime) -> int:
    """Tell people of the events that nobody was told of; return how many events were read."""
    events = list(_untold(_cursor().event)[:AT_ONCE])
    for event in events:
        _deliver(event, now)
    return len(events)


def release_waiting(*, now: datetime) -> int:
    """Show what people may know by now: comments of panels that are settled, jobs that ended."""
    rows = [row for row in waiting_notifications().order_by("pk")[:AT_ONCE] if may_be_shown(row)]
    if not rows:
        return 0
    cancelled = [row.pk for row in rows if row.job and row.job.state == JobState.CANCELLED]
    with transaction.atomic():
        waiting = Notification.objects.filter(pk__in=[row.pk for row in rows], is_waiting=True)
        waiting.filter(pk__in=cancelled).delete()  # nobody waits for what was called off
        count = waiting.update(is_waiting=False, created_at=now)
        recount({row.user_id for row in rows})
    return count


def advance_cursor(*, now: datetime) -> None:
    """Move the cursor over old events, so that few have to be looked at again."""
    cursor = _cursor()
    untold = _untold(cursor.event).first()
    old = AuditEvent.objects.filter(pk__gt=cursor.event, occurred_at__lt=now - SETTLED_AFTER)
    if untold is not None:
        old = old.filter(pk__lt=untold.pk)
    last = old.aggregate(last=Max("pk"))["last"]
    if last is None:
        return
    with transaction.atomic():
        Cursor.objects.filter(pk=cursor.pk, event__lt=last).update(event=last)
        ToldEvent.objects.filter(event__lte=last).delete()


def _cursor() -> Cursor:
    return Cursor.objects.order_by("pk").first() or Cursor.objects.get_or_create(pk=1)[0]


def _untold(since: int) -> QuerySet[AuditEvent]:
    is_wanted = Q(verb__in=[*told_verbs(), *MEMBER_VERBS])
    for verb in JOB_VERBS:
        is_wanted |= Q(verb__endswith=f".{verb}")
    told = ToldEvent.objects.filter(event=OuterRef("pk"))
    return AuditEvent.objects.filter(is_wanted, ~Exists(told), pk__gt=since).order_by("pk")


def _deliver(event: AuditEvent, now: datetime) -> None:
    """An event that cannot be told must not hold up those after it."""
    try:
        with transaction.atomic():
            if ToldEvent.objects.get_or_create(event=event)[1]:  # else another worker told it
                _tell(event, now)
    except Error:
        raise  # the database: the next round tries again
    except Exception:
        log.exception("notifications.not_told", audit_event=event.pk, verb=event.verb)
        ToldEvent.objects.get_or_create(event=event)


def _tell(event: AuditEvent, now: datetime) -> None:
    if event.verb in MEMBER_VERBS:
        recount(_people_of(event))
        return
    project = Project.objects.filter(slug=event.scope).first()
    told = told_of(event, project) if project else []
    rows = [_row(each, event, project, now) for each in told]
    Notification.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    recount({each.user for each in told if not each.is_waiting})


def _people_of(event: AuditEvent) -> set[int]:
    """Who may see more or less since an event about a member."""
    person = event.data.get("person")
    if isinstance(person, int):
        return {person}
    _kind, _colon, number = event.target.partition(":")
    rows = Membership.objects.filter(pk=int(number) if number.isdecimal() else 0)
    return set(rows.values_list("user", flat=True))


def _row(told: Told, event: AuditEvent, project: Project | None, now: datetime) -> Notification:
    return Notification(
        user_id=told.user,
        kind=told.kind,
        key=told.key or f"event:{event.pk}",
        project=project,
        is_waiting=told.is_waiting,
        created_at=now,
        **told.links,
    )
