"""Number rows for layouts that name an item by subject and row."""

import re

from releases.files.exporters.base import Row

BEYOND_NUMBERED = 100_000_000

_NUMBERED = re.compile(r"\A(?P<subject>.+?)/(?:dev/)?(?P<number>[0-9]{1,8})", re.ASCII)


class RowNumbers:
    """Gives each row of a file a number of its own.

    Items that came from such a layout have the uid `<subject>/<number>` and keep their number.
    Where the first row of a file has none, the rows are counted from 0. An item without a number
    among others that have one is counted from 100,000,000, so that it takes nobody's number.
    """

    def __init__(self) -> None:
        self._given: set[int] = set()
        self._next = 0

    def number(self, row: Row) -> int:
        own = self._own_number(row)
        if not self._given and own is not None:
            self._next = BEYOND_NUMBERED
        is_numbered = self._next >= BEYOND_NUMBERED
        if not is_numbered or own is None or own in self._given:
            own = self._next
            self._next += 1
        self._given.add(own)
        return own

    def _own_number(self, row: Row) -> int | None:
        found = _NUMBERED.fullmatch(row.id)
        return int(found["number"]) if found and found["subject"] == row.subject else None
