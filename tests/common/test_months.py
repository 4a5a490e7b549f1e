"""Months of UTC as people write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from common.months import Month, month_of, parse_month


def test_month_begins_and_ends_at_midnight_utc() -> None:
    december = parse_month("2026-12")
    assert december == Month(2026, 12)
    assert (december.start, december.end) == (
        datetime(2026, 12, 1, tzinfo=UTC),
        datetime(2027, 1, 1, tzinfo=UTC),
    )
    assert (str(december), str(december.following)) == ("2026-12", "2027-01")


def test_month_of_a_moment_is_that_of_utc() -> None:
    new_year_in_lhasa = datetime(2027, 1, 1, 3, tzinfo=timezone(timedelta(hours=8)))
    assert month_of(new_year_in_lhasa) == Month(2026, 12)


@pytest.mark.parametrize("text", ["", "2026", "2026-13", "2026-00", "26-01", "2026-1", "0000-01"])
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a month"):
        parse_month(text)
