"""Putting digests on their way: at most one in each period that a person chose."""

from datetime import datetime

from django.db import transaction

from accounts.actions import queue_digest
from accounts.models import User
from notifications.models import Digest
from notifications.queries import people_due_a_digest, unmailed

AT_ONCE = 200


def queue_digests(*, now: datetime) -> int:
    """Queue the e-mails that are due; return how many."""
    people = people_due_a_digest(now).order_by("pk")[:AT_ONCE]
    return sum(_queue(user, user.last_at, now) for user in people)


@transaction.atomic
def _queue(user: User, last_at: datetime | None, now: datetime) -> bool:
    """Mark what the e-mail holds and queue it; False if another worker was quicker."""
    Digest.objects.get_or_create(user=user)
    if not Digest.objects.filter(user=user, sent_at=last_at).update(sent_at=now):
        return False
    if not unmailed(user).update(mailed_at=now):
        return False
    queue_digest(user=user, mailed_at=now, now=now)
    return True
