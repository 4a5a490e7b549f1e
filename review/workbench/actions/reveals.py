"""Blind first reading: showing the source and the key of an item whose text was read alone."""

from datetime import datetime

from django.db import transaction

from accounts.models import User
from review.enums import SeatState
from review.models import Assignment, Reveal
from review.seats.refusals import SeatLost


@transaction.atomic
def reveal_source(*, assignment: Assignment, reviewer: User, now: datetime) -> Reveal:
    """Store that `reviewer`, who holds the seat, is shown the source and the key from now on.

    Keyed by (panel, reviewer): doing so again changes nothing. Raises SeatLost.
    """
    held = Assignment.objects.filter(
        pk=assignment.pk, reviewer=reviewer, state__in=[SeatState.CLAIMED, SeatState.JUDGED]
    )
    # Locked, so that the round is not discarded before the row is there.
    if not held.select_for_update(no_key=True).first():
        raise SeatLost
    reveal, _is_new = Reveal.objects.get_or_create(
        panel_id=assignment.panel_id, reviewer=reviewer, defaults={"revealed_at": now}
    )
    return reveal
