"""Slots of days and months."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from common.months import month_of
from submissions.quotas import day_of, free_slot, next_day


@pytest.mark.parametrize(
    ("taken", "limit", "slot"),
    [
        ((), 2, 1),
        ((1,), 2, 2),
        ((2,), 2, 1),
        ((1, 2), 2, None),
        ((), 0, None),
        ((2, 3, 4), 3, None),
    ],
)
def test_the_lowest_free_slot_is_given(
    taken: tuple[int, ...], limit: int, slot: int | None
) -> None:
    assert free_slot(taken, limit) == slot


def test_days_and_months_are_those_of_utc() -> None:
    early = datetime(2027, 1, 1, 6, tzinfo=timezone(timedelta(hours=8)))
    assert (day_of(early), str(month_of(early))) == ("2026-12-31", "2026-12")
    assert next_day(early) == datetime(2027, 1, 1, tzinfo=UTC)
