"""How many submissions a team may send: numbered slots of a day and of a month, in UTC.

A slot is a number from 1 to the limit that at most one submission of the team has in that day or
month. So a unique key of the database keeps the count exact whoever sends at the same time.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

PARTS_OF_ONE = 4
"""So many submissions of a month that failed at the team's endpoint count as one.

A cancelled one counts the same if its endpoint had been asked anything.
"""


def takes_slot(parts_before: int) -> bool:
    """Return whether a part of a submission fills one up, so that it keeps its slots."""
    return (parts_before + 1) % PARTS_OF_ONE == 0


def day_of(now: datetime) -> str:
    """Return the day, such as 2026-11-28."""
    return now.astimezone(UTC).date().isoformat()


def free_slot(taken: Collection[int], limit: int) -> int | None:
    """Return the lowest number up to `limit` that nobody has; None if as many are taken.

    After the limit was lowered, more may be taken than it allows, with free numbers among them.
    """
    if len(taken) >= limit:
        return None
    return next((slot for slot in range(1, limit + 1) if slot not in taken), None)


def next_day(now: datetime) -> datetime:
    """Return when the next day begins."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today + timedelta(days=1)
