"""What a round goes through is told: caused by the actions themselves, not by rows of a test."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from review.models import Round
from review.rounds.actions.rounds import close_round, discard_round
from review.rounds.actions.running import pause_round, resume_round
from tests.review.conftest import items, opened
from tests.webhooks.conftest import Worker
from tests.webhooks.receiver import Receiver
from webhooks.actions.managing import NewSecret

__all__ = ["items", "opened"]
pytestmark = pytest.mark.django_db


def test_life_of_a_round_is_sent_step_by_step(
    receiver: Receiver, issued: NewSecret, worker: Worker, opened: Callable[..., Round]
) -> None:
    round_ = opened(2)
    now = timezone.now()
    paused = pause_round(round_=round_, reason="", actor=None, now=now)
    resumed = resume_round(round_=paused, actor=None, now=now)
    close_round(round_=resumed, actor=None, now=now)
    worker.work()

    steps = [(each["type"], each["data"]["number"]) for each in receiver.bodies]
    names = ["round.opened", "round.paused", "round.resumed", "round.closed"]
    assert sorted(steps) == sorted((name, 1) for name in names)


def test_round_that_is_discarded_is_sent_with_what_it_was(
    receiver: Receiver, issued: NewSecret, worker: Worker, opened: Callable[..., Round]
) -> None:
    discard_round(round_=opened(2), actor=None, now=timezone.now())
    worker.work()

    told = {each["type"]: each["data"] for each in receiver.bodies}
    assert set(told) == {"round.opened", "round.discarded"}
    assert told["round.discarded"] == {"number": 1}
