"""Calendar months of UTC, written 2026-11: what statements of work and filters count by."""

import re
from datetime import UTC, datetime
from typing import NamedTuple

_WRITTEN = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


class Month(NamedTuple):
    """A month; months compare and sort by time."""

    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year:04}-{self.number:02}"

    @property
    def start(self) -> datetime:
        """The first moment, in UTC."""
        return datetime(self.year, self.number, 1, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """The first moment of the month after."""
        return self.following.start

    @property
    def following(self) -> "Month":
        return Month(self.year + self.number // 12, self.number % 12 + 1)


def parse_month(text: str) -> Month:
    """Read a month such as 2026-11. Raises ValueError."""
    found = _WRITTEN.fullmatch(text)
    if found is None or not 1970 <= int(found[1]) <= 9998:
        raise ValueError(f"{text!r} is not a month")
    return Month(int(found[1]), int(found[2]))


def month_of(moment: datetime) -> Month:
    """The month, in UTC, in which `moment` is."""
    there = moment.astimezone(UTC)
    return Month(there.year, there.month)
