"""Reminders: once for each due date, to those who have work left."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.core.mail import EmailMessage

from accounts.models import User
from annotation.models import Item
from notifications.actions.digests import queue_digests
from notifications.actions.reminders import remind_of_due_rounds
from notifications.enums import Kind
from notifications.models import Notification
from projects.models import Project
from review.models import Judgement, Round
from review.seats import waiting
from tests.notifications.conftest import told

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
TODAY = NOW.date()
Open = Callable[..., Round]


def due_today(round_: Round) -> Round:
    """The round, due on the day of these tests, which is over: nobody can choose it any more."""
    Round.objects.filter(pk=round_.pk).update(due_on=TODAY)
    return round_


def reminded() -> list[str]:
    rows = Notification.objects.filter(kind=Kind.ROUND_DUE)
    return sorted(rows.values_list("user__name", flat=True))


def test_people_with_work_left_are_reminded_once(
    opened: Open, judge: Callable[..., Judgement], pema: User, tashi: User
) -> None:
    round_ = opened(1, panel_size=2)
    Round.objects.update(due_on=TODAY + timedelta(days=3))
    judge(round_, pema)
    assert remind_of_due_rounds(now=NOW - timedelta(days=1)) == 0
    assert remind_of_due_rounds(now=NOW) == 1
    assert remind_of_due_rounds(now=NOW) == 0
    assert reminded() == ["Tashi"]
    tashi.refresh_from_db()
    assert tashi.unread_count == 1


def test_who_is_ahead_of_the_others_is_reminded_of_the_items_behind(
    opened: Open,
    judge: Callable[..., Judgement],
    pema: User,
    tashi: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "LEFT_LOOKED_AT", 1)
    round_ = due_today(opened(2, panel_size=2))
    judge(round_, pema)
    remind_of_due_rounds(now=NOW)
    assert reminded() == ["Pema", "Tashi"]


def test_new_due_date_reminds_anew(opened: Open, pema: User) -> None:
    round_ = opened(1)
    Round.objects.update(due_on=TODAY)
    remind_of_due_rounds(now=NOW)
    Round.objects.filter(pk=round_.pk).update(due_on=TODAY + timedelta(days=1))
    remind_of_due_rounds(now=NOW)
    assert reminded() == ["Pema", "Pema"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: Round.objects.update(paused_at=NOW),
        lambda: Round.objects.update(state="closed"),
        lambda: Round.objects.update(due_on=None),
        lambda: Round.objects.update(due_on=TODAY - timedelta(days=1)),
        lambda: Project.objects.update(reminder_days=0),
        lambda: Project.objects.update(reminder_days=1),
    ],
)
def test_nobody_is_reminded_needlessly(
    opened: Open, pema: User, change: Callable[[], object]
) -> None:
    opened(1)
    Round.objects.update(due_on=TODAY + timedelta(days=2))
    change()
    assert remind_of_due_rounds(now=NOW) == 0
    assert reminded() == []


def test_reminder_names_the_due_date_that_it_was_about(opened: Open, pema: User) -> None:
    round_ = due_today(opened(1))
    remind_of_due_rounds(now=NOW)
    Round.objects.filter(pk=round_.pk).update(due_on=None)
    assert told(pema) == [
        ("round_due", "Round 1 is due on 10 May 2026: judge what is left for you.")
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda: Round.objects.update(paused_at=NOW),
        lambda: Round.objects.update(state="closed"),
        lambda: Round.objects.update(due_on=None),
        lambda: Round.objects.update(due_on=TODAY - timedelta(days=1)),
        lambda: Item.objects.update(state="excluded"),
    ],
)
def test_email_holds_no_reminder_of_what_is_done_or_past(
    opened: Open,
    pema: User,
    deliver: Callable[[], list[EmailMessage]],
    change: Callable[[], object],
) -> None:
    due_today(opened(1))
    remind_of_due_rounds(now=NOW)
    change()
    assert queue_digests(now=NOW + timedelta(hours=1)) == 1
    assert deliver() == []


def test_email_holds_the_reminder(
    opened: Open, pema: User, deliver: Callable[[], list[EmailMessage]]
) -> None:
    due_today(opened(1))
    remind_of_due_rounds(now=NOW)
    queue_digests(now=NOW + timedelta(hours=1))
    (message,) = deliver()
    assert "rounds that are due soon: 1" in message.body
