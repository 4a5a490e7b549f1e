"""Many reviewers at once: exactly panel-size judgements an item, whoever aborts or is too slow."""

import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from common.errors import DomainError
from review.enums import PanelState, SkipReason
from review.models import Assignment, Judgement, Panel, Round
from review.outcomes import make_tally, tally_token
from review.seats.actions.conclusions import PanelNotOpen
from review.seats.actions.seats import claim_seat, skip_seat
from review.seats.refusals import SeatTaken
from review.workbench.actions.judgements import JudgementContent, submit_judgement

pytestmark = pytest.mark.both_databases

ITEMS = 60
THREADS = 16
APPROVAL = JudgementContent(verdict="approve", ratings={"domain": 4, "cultural": 4})


class Reviewer(threading.Thread):
    """Claims and judges until nothing is left; now and then walks away or comes too late."""

    def __init__(self, round_: Round, user: User, seed: int) -> None:
        super().__init__()
        self.round, self.user = round_, user
        self.random = random.Random(seed)
        self.failure: BaseException | None = None
        self.stored: list[int] = []

    def run(self) -> None:
        try:
            while self._judge_one():
                pass
        except BaseException as failure:  # noqa: BLE001 - shown by the main thread
            self.failure = failure
        finally:
            connection.close()

    def _judge_one(self) -> bool:
        now = timezone.now()
        seat = claim_seat(round_=self.round, reviewer=self.user, now=now)
        if seat is None:
            return False
        chance = self.random.random()
        if chance < 0.05:
            self._let_expire(seat)
        elif chance < 0.08:
            self._let_expire(seat)
            self._judge_late(seat)
        else:
            self._judge(seat)
        return True

    def _let_expire(self, seat: Assignment) -> None:
        past = timezone.now() - timedelta(seconds=1)
        Assignment.objects.filter(pk=seat.pk, reviewer=self.user).update(expires_at=past)

    def _judge_late(self, seat: Assignment) -> None:
        """Send after the time ran out: stored, unless somebody else was given the seat.

        If they have judged by then, the item may be decided already.
        """
        with suppress(SeatTaken, PanelNotOpen):
            self._judge(seat)

    def _judge(self, seat: Assignment) -> None:
        key = str(uuid.uuid4())
        now = timezone.now()
        first = self._submit(seat, key, now)
        if self.random.random() < 0.2:  # the answer got lost on the way: sent again
            assert self._submit(seat, key, now).pk == first.pk
        self.stored.append(first.pk)

    def _submit(self, seat: Assignment, key: str, now: object) -> Judgement:
        return submit_judgement(
            assignment=seat,
            reviewer=self.user,
            revision_id=seat.panel.revision_id,
            content=APPROVAL,
            idempotency_key=key,
            now=now,  # type: ignore[arg-type]
        )


@pytest.mark.django_db(transaction=True)
def test_sixteen_reviewers_give_exactly_two_judgements_an_item(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = opened(ITEMS, panel_size=2)
    threads = [Reviewer(round_, user, seed) for seed, user in enumerate(reviewers(THREADS))]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A seat that somebody let expire after all others had left is still free.
    _finish(round_, threads)

    assert [thread.failure for thread in threads if thread.failure] == []
    stored = [pk for thread in threads for pk in thread.stored]
    assert len(stored) == len(set(stored)) == 2 * ITEMS
    assert set(Judgement.objects.values_list("pk", flat=True)) == set(stored)
    people = Counter(Judgement.objects.values_list("panel", "reviewer"))
    assert set(people.values()) == {1}
    assert set(Counter(Judgement.objects.values_list("panel")).values()) == {2}
    assert Panel.objects.filter(state=PanelState.SETTLED).count() == ITEMS
    assert _tallies_recomputed() == dict(Panel.objects.values_list("pk", "tally"))


def _finish(round_: Round, threads: list[Reviewer]) -> None:
    for thread in threads:
        thread.random.random = lambda: 0.5  # type: ignore[method-assign]
        while thread.failure is None and thread._judge_one():
            pass


def _tallies_recomputed() -> dict[int, str]:
    tokens: dict[int, list[str]] = {}
    for judgement in Judgement.objects.all():
        token = tally_token(judgement.verdict, judgement.ratings)
        tokens.setdefault(judgement.panel_id, []).append(token)
    return {panel: make_tally(found) for panel, found in tokens.items()}


@pytest.mark.django_db(transaction=True)
def test_one_seat_wanted_by_eight_is_given_to_one(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = opened(1, panel_size=1)
    users = reviewers(8)
    barrier = threading.Barrier(8)
    got: list[Assignment | None] = []

    def claim(user: User) -> None:
        try:
            barrier.wait()
            got.append(claim_seat(round_=round_, reviewer=user, now=timezone.now()))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len([seat for seat in got if seat]) == 1
    assert len(got) == 8


@pytest.mark.django_db(transaction=True)
def test_one_person_in_eight_windows_gets_one_seat(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = opened(20, panel_size=2)
    (user,) = reviewers(1)
    barrier = threading.Barrier(8)
    got: list[int] = []

    def claim() -> None:
        try:
            barrier.wait()
            seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
            got.append(seat.pk if seat else 0)
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 8
    assert len(set(got)) == 1


@pytest.mark.django_db(transaction=True)
def test_two_sends_of_one_judgement_at_once_store_it_once(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = opened(1, panel_size=1)
    (user,) = reviewers(1)
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat
    barrier = threading.Barrier(6)
    got: list[int] = []
    failures: list[DomainError] = []

    def send() -> None:
        try:
            barrier.wait()
            judgement = submit_judgement(
                assignment=seat,
                reviewer=user,
                revision_id=seat.panel.revision_id,
                content=APPROVAL,
                idempotency_key="one",
                now=timezone.now(),
            )
            got.append(judgement.pk)
        except DomainError as failure:
            failures.append(failure)
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert set(got) == {Judgement.objects.get().pk}


@pytest.mark.django_db(transaction=True)
def test_skipped_seat_goes_to_somebody_else(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = opened(1, panel_size=1)
    first, second = reviewers(2)
    seat = claim_seat(round_=round_, reviewer=first, now=timezone.now())
    assert seat

    skip_seat(
        assignment=seat,
        reviewer=first,
        reason=SkipReason.NOT_MY_FIELD,
        note="",
        now=timezone.now(),
    )

    assert claim_seat(round_=round_, reviewer=first, now=timezone.now()) is None
    again = claim_seat(round_=round_, reviewer=second, now=timezone.now())
    assert again is not None
    assert again.pk == seat.pk
