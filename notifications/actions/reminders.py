"""Reminding people of rounds that are due soon: once for each round and due date."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from notifications.actions.counting import recount
from notifications.enums import Kind
from notifications.models import Notification, Reminder
from review.enums import RoundState, SeatState
from review.models import Assignment, Round
from review.seats.waiting import people_with_work_left


def remind_of_due_rounds(*, now: datetime) -> int:
    """Remind those who can still work in rounds that are due; return how many rounds there were."""
    rounds = [round_ for round_ in _not_reminded() if _is_soon(round_, now.astimezone(UTC).date())]
    for round_ in rounds:
        _remind(round_, now)
    return len(rounds)


def _not_reminded() -> Iterable[Round]:
    done = Reminder.objects.filter(round=OuterRef("pk"), due_on=OuterRef("due_on"))
    rows = Round.objects.filter(~Exists(done), state=RoundState.OPEN, due_on__isnull=False)
    return rows.filter(paused_at__isnull=True).select_related("project").order_by("pk")


def _is_soon(round_: Round, today: date) -> bool:
    days = round_.project.reminder_days
    if not days or round_.due_on is None:
        return False
    return today <= round_.due_on <= today + timedelta(days=days)


def _remind(round_: Round, now: datetime) -> None:
    people = {user.pk for user in people_with_work_left(round_, now=now)}
    held = Assignment.objects.filter(round=round_, state=SeatState.CLAIMED, expires_at__gt=now)
    people |= set(held.values_list("reviewer", flat=True))
    with transaction.atomic():
        reminder = {"round": round_, "due_on": round_.due_on}
        if not Reminder.objects.get_or_create(**reminder, defaults={"sent_at": now})[1]:
            return  # another worker was quicker
        Notification.objects.bulk_create(
            [
                Notification(
                    user_id=person,
                    kind=Kind.ROUND_DUE,
                    key=f"due:{round_.pk}:{round_.due_on}",
                    project_id=round_.project_id,
                    round=round_,
                    created_at=now,
                )
                for person in sorted(people)
            ],
            ignore_conflicts=True,
        )
        recount(people)
