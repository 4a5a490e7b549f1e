"""What waits in an outbox is sent at least once: once as long as nobody dies, later if sending fails."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.db import connection
from django.db.models import QuerySet

from accounts.models import OutgoingEmail
from common.outbox import Outbox

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
FIRST, SECOND = timedelta(minutes=1), timedelta(hours=1)

pytestmark = pytest.mark.both_databases


class Died(BaseException):
    """The worker was killed."""


class Letters(Outbox[OutgoingEmail, int, str]):
    """Sends the numbers of rows; `faults` are what goes wrong with the first ones that it sends."""

    delays = (FIRST, SECOND)

    def __init__(self, *faults: str, at_once: int = 1) -> None:
        self.faults, self.sent, self.given_up = list(faults), list[int](), list[int]()
        self.at_once = at_once  # type: ignore[misc]

    def waiting(self) -> QuerySet[OutgoingEmail]:
        return OutgoingEmail.objects.all()

    def write(self, row: OutgoingEmail, now: datetime) -> int | None:
        return None if row.data.get("pointless") else row.pk

    def send(self, messages: Sequence[int]) -> list[str]:
        self.sent += messages
        found = [self.faults.pop(0) if self.faults else "" for _message in messages]
        if "died" in found:
            raise Died
        return found

    def record(self, row: OutgoingEmail, outcome: str, now: datetime) -> None:
        if not outcome:
            self.held(row).delete()

    def give_up(self, row: OutgoingEmail, now: datetime) -> None:
        self.given_up.append(row.pk)
        self.held(row).delete()

    def work(self, at: datetime = NOW) -> int:
        return self.send_due(clock=partial(_same, at))


def _same(moment: datetime) -> datetime:
    return moment


def letter(**data: bool) -> int:
    row = OutgoingEmail.objects.create(kind="digest", data=data, created_at=NOW, due_at=NOW)
    return row.pk


@pytest.mark.django_db
def test_rows_are_sent_in_their_order_as_many_together_as_the_outbox_says() -> None:
    first, second, third = letter(), letter(), letter()
    letters = Letters(at_once=2)
    assert letters.work() == 3
    assert letters.sent == [first, second, third]
    assert letters.work() == 0


@pytest.mark.django_db
def test_row_that_fails_is_tried_after_each_delay_and_given_up_behind_the_last() -> None:
    row = letter()
    letters = Letters("refused", "refused")
    second = NOW + FIRST
    last = second + SECOND
    moments = [NOW, second - timedelta(seconds=1), second, last - timedelta(seconds=1), last]
    assert [letters.work(at) for at in moments] == [1, 0, 1, 0, 0]
    assert (letters.sent, letters.given_up) == ([row, row], [row])
    assert not OutgoingEmail.objects.exists()


@pytest.mark.django_db
def test_row_whose_worker_dies_between_sending_and_recording_is_sent_again_later() -> None:
    row = letter()
    letters = Letters("died")
    with pytest.raises(Died):
        letters.work()
    assert [letters.work(), letters.work(NOW + FIRST)] == [0, 1]
    assert letters.sent == [row, row]
    assert not OutgoingEmail.objects.exists()


@pytest.mark.django_db
def test_row_that_has_become_pointless_does_not_hold_up_the_next() -> None:
    letter(pointless=True)
    row = letter()
    letters = Letters()
    assert letters.work() == 1
    assert letters.sent == [row]


@pytest.mark.django_db
def test_row_that_another_worker_took_since_is_no_longer_held() -> None:
    letter()
    letters = Letters("refused", "refused")
    letters.work()
    stale = OutgoingEmail.objects.get()
    letters.work(NOW + FIRST)
    assert not letters.held(stale).exists()


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_send_each_row_once() -> None:
    rows = [letter() for _number in range(6)]
    workers = [Letters() for _number in range(3)]
    start, failed = threading.Barrier(3), list[BaseException]()

    def work(letters: Letters) -> None:
        try:
            start.wait(60)
            letters.work()
        except BaseException as error:  # noqa: BLE001
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[letters]) for letters in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert sorted(row for letters in workers for row in letters.sent) == rows
