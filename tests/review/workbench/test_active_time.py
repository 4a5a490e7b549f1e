"""Active time is what the browser measured, and never more than passed since the claim."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from review.enums import SkipReason
from review.models import Assignment, Judgement, Round
from review.seats.actions.seats import claim_seat, free_expired_seats, skip_seat, undo_skip
from review.workbench.actions.judgements import submit_judgement
from tests.review.conftest import content

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]


def judged(seat: Assignment, *, seconds: int, now: datetime) -> int:
    judgement = submit_judgement(
        assignment=seat,
        reviewer=User.objects.get(memberships__role="reviewer"),
        revision_id=seat.panel.revision_id,
        content=content(active_seconds=seconds),
        idempotency_key="key",
        now=now,
    )
    return Judgement.objects.get(pk=judgement.pk).active_seconds


def claimed(round_: Round, person: User, at: datetime) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=person, now=at)
    assert seat is not None
    return seat


@pytest.mark.parametrize(("sent", "stored"), [(0, 0), (90, 90), (91, 90), (86_400, 90)])
def test_time_is_bounded_by_claim_and_submit(
    opened: Open, reviewers: People, sent: int, stored: int
) -> None:
    began = timezone.now()
    seat = claimed(opened(1), reviewers(1)[0], began)

    assert judged(seat, seconds=sent, now=began + timedelta(seconds=89.2)) == stored


def test_clock_that_runs_backwards_gives_no_time(opened: Open, reviewers: People) -> None:
    began = timezone.now()
    seat = claimed(opened(1), reviewers(1)[0], began)

    assert judged(seat, seconds=50, now=began - timedelta(seconds=9)) == 0


def test_seat_renewed_by_a_late_judgement_counts_from_its_first_claim(
    opened: Open, reviewers: People
) -> None:
    began = timezone.now()
    round_ = opened(1)
    seat = claimed(round_, reviewers(1)[0], began)
    free_expired_seats(round_=round_, now=began + timedelta(hours=1))

    assert judged(seat, seconds=1500, now=began + timedelta(hours=2)) == 1500


def test_time_before_a_skip_that_was_undone_still_counts(opened: Open, reviewers: People) -> None:
    began = timezone.now()
    person = reviewers(1)[0]
    seat = claimed(opened(1), person, began)
    later = began + timedelta(minutes=5)
    skip_seat(assignment=seat, reviewer=person, reason=SkipReason.OTHER, note="", now=later)
    again = undo_skip(assignment=seat, reviewer=person, now=later + timedelta(seconds=3))

    assert judged(again, seconds=290, now=later + timedelta(seconds=10)) == 290
