"""Which notifications a person may see, how many are unread, and which wait or are to be mailed."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import (
    Count,
    Exists,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)

from accounts.enums import DigestChoice
from accounts.models import AuditEvent, User
from jobs.enums import ENDED_JOB_STATES
from notifications.enums import ABOUT_ITEMS, FOR_SENDERS, OF_EVENTS, Kind
from notifications.models import Digest, Notification
from projects.enums import TEXT_ROLES, Role
from projects.models import Membership
from review.comments.threads import Reader
from review.enums import PanelState, RoundState
from review.models import Comment, Judgement, Round, Substitute
from review.seats.waiting import can_take_item
from submissions.models import Participant

GATHERING = timedelta(hours=1)
PERIODS = {DigestChoice.DAILY: timedelta(days=1), DigestChoice.WEEKLY: timedelta(days=7)}
_PANELS = ("comment__panel", "comment__thread__panel")


def notifications_for(user: User) -> QuerySet[Any]:
    """What `user` may be told now, as far as the database can say; see `may_be_shown`."""
    return _with_readers(_visible(Notification.objects.filter(user=user))).select_related(
        "user",
        "project",
        "item",
        "round",
        "job",
        "comment__author",
        "comment__panel",
        "comment__thread__panel",
    )


def shown(rows: Iterable[Any]) -> list[Any]:
    """Those of `notifications_for` whose comment the person may read now, with `event_data`.

    That is what the event says of which a notification tells a word, {} for all others.
    """
    found = [row for row in rows if may_be_shown(row)]
    events = {row.pk: _event_of(row) for row in found if row.kind in OF_EVENTS}
    said: dict[int, Any] = {}
    if events:
        said |= AuditEvent.objects.filter(pk__in=events.values()).values_list("pk", "data")
    for row in found:
        row.event_data = said.get(events.get(row.pk, 0), {})
    return found


def _event_of(row: Any) -> int:
    """The id of the event that a notification was made of, 0 where its key names none."""
    number = row.key.removeprefix("event:")
    return int(number) if number.isdecimal() else 0


def may_be_shown(row: Any) -> bool:
    """Whether a comment may be told of: its panel may be open again. `row` is of `_with_readers`."""
    if row.comment is None:
        return True
    role = Role(row.reader_role) if row.reader_role else None
    leads_all = row.user.is_superuser or role == Role.MANAGER
    comment: Comment = row.comment
    first = comment.thread or comment
    panels = [(comment.panel_id, row.has_judged), (first.panel_id, row.has_judged_thread)]
    judged = frozenset(pk for pk, has_judged in panels if pk and has_judged)
    return Reader(row.user_id, role, leads_all, judged).may_read(comment)


def unread_counts(users: Collection[int]) -> dict[int, int]:
    """How many unread notifications each of `users` has; one grouped query."""
    rows = _visible(Notification.objects.filter(user__in=users, read_at__isnull=True))
    counts = dict(rows.values_list("user").annotate(n=Count("pk")).order_by())
    return {user: counts.get(user, 0) for user in users}


def waiting_notifications() -> QuerySet[Any]:
    """Those whose job has ended, or whose comment may be readable by now."""
    is_shut = Q()
    for panel in _PANELS:
        is_disputed = Q(**{f"{panel}__state": PanelState.DISPUTED}) & ~Q(reader_role=Role.SENIOR)
        is_shut |= Q(**{f"{panel}__state": PanelState.JUDGING}) | is_disputed
    rows = _with_readers(Notification.objects.filter(is_waiting=True))
    is_ended = Q(job__state__in=ENDED_JOB_STATES)
    return (
        rows.filter(is_ended | Q(comment__isnull=False))
        .exclude(is_shut)
        .select_related("user", "job", "comment__panel", "comment__thread__panel")
    )


def people_due_a_digest(now: datetime) -> QuerySet[Any]:
    """Who wants an e-mail, has something unread that was in none, and got none for long enough.

    `last_at` is when they got the last one.
    """
    unmailed = _visible(
        Notification.objects.filter(user=OuterRef("pk"), read_at=None, mailed_at=None)
    )
    first = unmailed.order_by().values("user").annotate(at=Min("created_at")).values("at")
    people = User.objects.filter(is_active=True).annotate(
        first_at=Subquery(first),
        last_at=Subquery(Digest.objects.filter(user=OuterRef("pk")).values("sent_at")),
    )
    due = Q()
    for choice, period in PERIODS.items():
        is_long_ago = Q(last_at__isnull=True) | Q(last_at__lte=now - period)
        due |= Q(digest=choice) & is_long_ago
    found: QuerySet[Any] = people.filter(due, first_at__lte=now - GATHERING, unread_count__gt=0)
    return found


def digest_of(user: User, mailed_at: datetime) -> list[tuple[str, Kind, int]]:
    """(project, kind, how many) of what one digest holds and is unread and for them still."""
    found = shown(notifications_for(user).filter(mailed_at=mailed_at, read_at=None))
    rows = [row for row in found if row.kind != Kind.ROUND_DUE or _is_due_still(row, mailed_at)]
    counts: dict[tuple[str, Kind], int] = {}
    for row in rows:
        place = row.project.name, Kind(row.kind)
        counts[place] = counts.get(place, 0) + 1
    order = list(Kind)
    return sorted(
        ((project, kind, n) for (project, kind), n in counts.items()),
        key=lambda line: (line[0], order.index(line[1])),
    )


def _is_due_still(row: Any, now: datetime) -> bool:
    """Whether a reminder holds still: days may lie between it and the e-mail."""
    round_: Round = row.round
    if round_.state != RoundState.OPEN or round_.due_on is None:
        return False
    is_past = round_.due_on < now.astimezone(UTC).date()
    return not is_past and can_take_item(row.user, round_, now=now)


def unmailed(user: User) -> QuerySet[Notification]:
    return _visible(Notification.objects.filter(user=user, read_at=None, mailed_at=None))


def _visible(rows: QuerySet[Notification]) -> QuerySet[Notification]:
    """Those of projects that the person belongs to still, in a role that reads such things.

    What is for people who send submissions is told to those alone.
    """
    places = Membership.objects.filter(project=OuterRef("project"), user=OuterRef("user"))
    is_reader = Exists(places.filter(role__in=TEXT_ROLES))
    is_member = Exists(places) & ~Q(kind__in=ABOUT_ITEMS)
    is_sender = Exists(
        Participant.objects.filter(project=OuterRef("project"), user=OuterRef("user"))
    ) & Q(kind__in=FOR_SENDERS)
    is_there = Q(kind__in=[Kind.ROUND_OPENED, Kind.ROUND_DUE], round__number__isnull=True)
    return rows.filter(
        Q(user__is_superuser=True) | is_reader | is_member | is_sender, is_waiting=False
    ).exclude(is_there)


def _with_readers(rows: QuerySet[Notification]) -> QuerySet[Any]:
    places = Membership.objects.filter(project=OuterRef("project"), user=OuterRef("user"))
    judged = Judgement.objects.filter(reviewer=OuterRef("user"))
    named = Substitute.objects.filter(user=OuterRef("user"), panel__item=OuterRef("item"))
    found: QuerySet[Any] = rows.annotate(
        substituted_panel=Subquery(named.order_by("-pk").values("panel")[:1]),
        reader_role=Subquery(places.values("role")),
        has_judged=Exists(judged.filter(panel=OuterRef("comment__panel"))),
        has_judged_thread=Exists(judged.filter(panel=OuterRef("comment__thread__panel"))),
    )
    return found
