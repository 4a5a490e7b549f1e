"""How many calls to an address may be under way at once, for all processes that share the database.

A place is not taken for each call, which would cost more than the call itself. Each piece of work holds
some places for as long as it has questions, and looks about once a second how many are its share.
It gives places up only when no call is under way in them, and takes only free ones, so that all
together never have more than there are. The places of a process that was killed come free with its
row: at once on the same host, else when the row is out of date. The clocks of the machines have to agree.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from django.db import transaction

from endpoints.models import EndpointPlaces
from endpoints.pacing import lock_address
from endpoints.queries import endpoint_concurrency
from jobs.processes import is_known_dead, worker_name

HOLD_SECONDS = 30.0
LOOK_SECONDS = 1.0
# What can't be divided evenly goes round, so that work without a place has one after some seconds.
ROUND_SECONDS = 10.0


@contextmanager
def places_at(base_url: str, wanted: int) -> Iterator["SharedPlaces"]:
    """Share the places of an address with all other work until the end of the block."""
    places = SharedPlaces(base_url, wanted, partial(endpoint_concurrency, base_url))
    places.look(0)
    try:
        yield places
    finally:
        places.leave()


def fair_shares(wanted: Sequence[int], most: int, *, first: int = 0) -> list[int]:
    """Divide `most` places: nobody gets more than wanted, or can have more without others having less.

    Shares differ by one at most where more is wanted; the larger ones begin with number `first`.
    """
    shares = [0] * len(wanted)
    order = [(first + number) % len(wanted) for number in range(len(wanted))]
    left = min(most, sum(wanted))
    while left:
        for number in order:
            if left and shares[number] < wanted[number]:
                shares[number] += 1
                left -= 1
    return shares


@dataclass(slots=True)
class SharedPlaces:
    """The places of one piece of work, which would like `wanted`; `find_limit` tells how many there are.

    It is looked at in the thread that has the database.
    """

    base_url: str
    wanted: int
    find_limit: Callable[[], int | None]
    clock: Callable[[], float] = time.time
    _row: EndpointPlaces | None = field(default=None, init=False)
    _granted: int = field(default=0, init=False)
    _held_until: float = field(default=0.0, init=False)
    _look_at: float = field(default=0.0, init=False)

    @property
    def granted(self) -> int:
        """How many calls may be under way: no new one begins while there are as many."""
        return self._granted if self.clock() < self._held_until else 0

    def look(self, under_way: int) -> None:
        """See how many places are this work's share, if the last look was some time ago."""
        now = self.clock()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        limit = self.find_limit()
        if limit is None:
            self.leave()
            self._granted, self._held_until = self.wanted, float("inf")
        elif not self._is_settled(limit, under_way, now):
            self._settle(limit, under_way, now)

    def leave(self) -> None:
        """Give all places back."""
        if self._row is not None:
            EndpointPlaces.objects.filter(pk=self._row.pk).delete()
            self._row = None

    def _is_settled(self, limit: int, under_way: int, now: float) -> bool:
        """Whether nothing is to be written yet."""
        if self._row is None or self._held_until - now < HOLD_SECONDS / 2:
            return False
        held, granted = self._share(self._rows(), limit, under_way, now)
        return (held, granted) == (self._row.held, self._granted)

    def _settle(self, limit: int, under_way: int, now: float) -> None:
        """Hold what is granted or still in use. Others wait until this is written."""
        with transaction.atomic():
            lock_address(self.base_url)
            rows = self._rows()
            gone = [row.pk for row in rows if not self._is_there(row, now)]
            EndpointPlaces.objects.filter(pk__in=gone).delete()
            held, granted = self._share(rows, limit, under_way, now)
            self._row = self._written(held, now + HOLD_SECONDS)
        self._granted, self._held_until = granted, now + HOLD_SECONDS

    def _share(
        self, rows: Sequence[EndpointPlaces], limit: int, under_way: int, now: float
    ) -> tuple[int, int]:
        """Return how many places to hold, and how many of them new calls may have.

        Calls may have begun since `under_way` was counted, in places that were granted before.
        """
        in_use = max(under_way, min(self.granted, self.wanted))
        rows = [row for row in rows if self._is_own(row) or self._is_there(row, now)]
        own = next((place for place, row in enumerate(rows) if self._is_own(row)), len(rows))
        wanted = [row.wanted for row in rows] + ([self.wanted] if own == len(rows) else [])
        share = fair_shares(wanted, limit, first=int(now // ROUND_SECONDS) % len(wanted))[own]
        free = limit - sum(row.held for row in rows if not self._is_own(row))
        granted = max(0, min(share, free))
        return max(in_use, granted), granted

    def _rows(self) -> list[EndpointPlaces]:
        return list(EndpointPlaces.objects.filter(base_url=self.base_url).order_by("pk"))

    def _is_own(self, row: EndpointPlaces) -> bool:
        return self._row is not None and row.pk == self._row.pk

    def _is_there(self, row: EndpointPlaces, now: float) -> bool:
        return row.held_until.timestamp() > now and not is_known_dead(row.holder)

    def _written(self, held: int, until: float) -> EndpointPlaces:
        """Write this work's row, anew if others took it for out of date."""
        moment = datetime.fromtimestamp(until, UTC)
        if self._row is not None:
            rows = EndpointPlaces.objects.filter(pk=self._row.pk)
            if rows.update(held=held, held_until=moment):
                self._row.held = held
                return self._row
        return EndpointPlaces.objects.create(
            base_url=self.base_url, holder=worker_name(), wanted=self.wanted, held=held,
            held_until=moment,
        )  # fmt: skip
