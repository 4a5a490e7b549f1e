"""Sends rows to somebody outside: take what is due, send it, record how it ended, back off.

A row is sent at least once. Taking it counts the try and sets when the next one is due, by
compare-and-swap and before anything is sent: of two workers at once one gets the row, and a row
whose worker dies between sending and recording is sent again later.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar

from django.db import models
from django.db.models import QuerySet
from django.utils import timezone

Clock = Callable[[], datetime]
Database = Callable[[], AbstractContextManager[object]]
MOST_LISTED = 50


class OutboxRow(models.Model):
    """What an outbox needs of a row: how often it was taken, and when it may be taken next."""

    tries = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()

    class Meta:
        abstract = True


Row = TypeVar("Row", bound=OutboxRow)
Message = TypeVar("Message")
Outcome = TypeVar("Outcome")


class Outbox(ABC, Generic[Row, Message, Outcome]):
    """One table of rows to send: which wait, what to send for each, what to do with the outcome.

    `delays` says how long after each try the next one is due, so their number is the number of
    tries. After the last delay the row is given up: its worker has died. `at_once` rows are sent
    together.
    """

    delays: ClassVar[Sequence[timedelta]]
    at_once: ClassVar[int] = 1

    @abstractmethod
    def waiting(self) -> QuerySet[Row]:
        """Return the rows that are still to be sent."""

    @abstractmethod
    def write(self, row: Row, now: datetime) -> Message | None:
        """Return what to send for a row that was taken; None if there is nothing to send."""

    @abstractmethod
    def send(self, messages: Sequence[Message]) -> Sequence[Outcome]:
        """Send them; return how each ended, in their order. Never raises for one of them."""

    @abstractmethod
    def record(self, row: Row, outcome: Outcome, now: datetime) -> None:
        """Store how a try ended. Without a change the row is tried again when it is due."""

    @abstractmethod
    def give_up(self, row: Row, now: datetime) -> None:
        """End a row whose last try was never recorded."""

    def due(self, now: datetime) -> Iterable[Row]:
        """Return some rows that are due, those that have waited longest first."""
        return self.waiting().filter(due_at__lte=now).order_by("due_at", "pk")[:MOST_LISTED]

    def marks(self, row: Row, now: datetime) -> dict[str, Any]:
        """Return further columns to set when a row is taken."""
        return {}

    def held(self, row: Row) -> QuerySet[Row]:
        """Return the row as long as nobody else has taken it or asked for it again since."""
        return self.waiting().filter(pk=row.pk, tries=row.tries)

    def send_due(
        self,
        *,
        clock: Clock = timezone.now,
        database: Database = nullcontext,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> int:
        """Send what is due until nothing is; return how many tries that were.

        Everything at the database runs inside `database()`, and nothing that waits for somebody
        outside does.
        """
        count = 0
        while not is_stopping():
            with database():
                taken = self._take_due(clock())
            if not taken:
                break
            outcomes = self.send([message for _row, message in taken])
            with database():
                for (row, _message), outcome in zip(taken, outcomes, strict=True):
                    self.record(row, outcome, clock())
            count += len(taken)
        return count

    def _take_due(self, now: datetime) -> list[tuple[Row, Message]]:
        taken: list[tuple[Row, Message]] = []
        for row in self.due(now):
            if row.tries >= len(self.delays):
                self.give_up(row, now)
            elif self._take(row, now) and (message := self.write(row, now)) is not None:
                taken.append((row, message))
            if len(taken) == self.at_once:
                break
        return taken

    def _take(self, row: Row, now: datetime) -> bool:
        changes = {"tries": row.tries + 1, "due_at": now + self.delays[row.tries]}
        changes |= self.marks(row, now)
        if not self.held(row).filter(due_at=row.due_at).update(**changes):
            return False
        for name, value in changes.items():
            setattr(row, name, value)
        return True
