"""Reminders: once for each due date, to those who have work left."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from notifications.actions.reminders import remind_of_due_rounds
from notifications.enums import Kind
from notifications.models import Notification
from projects.enums import Role
from projects.models import Project
from review.models import Judgement, Round

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
TODAY = NOW.date()
Open = Callable[..., Round]


@pytest.fixture
def pema(member: Callable[..., User]) -> User:
    return member(Role.REVIEWER, name="Pema")


@pytest.fixture
def tashi(member: Callable[..., User]) -> User:
    return member(Role.REVIEWER, name="Tashi")


def reminded() -> list[str]:
    rows = Notification.objects.filter(kind=Kind.ROUND_DUE)
    return sorted(rows.values_list("user__name", flat=True))


def test_people_with_work_left_are_reminded_once(
    opened: Open, judge: Callable[..., Judgement], pema: User, tashi: User
) -> None:
    round_ = opened(1, panel_size=2, due_on=TODAY + timedelta(days=3))
    judge(round_, pema)
    assert remind_of_due_rounds(now=NOW - timedelta(days=1)) == 0
    assert remind_of_due_rounds(now=NOW) == 1
    assert remind_of_due_rounds(now=NOW) == 0
    assert reminded() == ["Tashi"]
    tashi.refresh_from_db()
    assert tashi.unread_count == 1


def test_new_due_date_reminds_anew(opened: Open, pema: User) -> None:
    round_ = opened(1, due_on=TODAY)
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
    opened(1, due_on=TODAY + timedelta(days=2))
    change()
    assert remind_of_due_rounds(now=NOW) == 0
    assert reminded() == []
