"""What a person is told beside their work: how many unread notifications, and how often by e-mail."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions.audit import record_event
from accounts.enums import DigestChoice
from accounts.models import User
from common.errors import DomainError


class DigestUnknown(DomainError):
    code = "digest_unknown"
    detail = _("Choose how often: off, daily or weekly.")
    status = 400


def set_unread_counts(counts: Mapping[int, int]) -> None:
    """Store how many unread notifications each person has, by id. No audit event."""
    people: dict[int, list[int]] = defaultdict(list)
    for person, count in counts.items():
        people[count].append(person)
    for count, found in sorted(people.items()):
        User.objects.filter(pk__in=found).exclude(unread_count=count).update(unread_count=count)


@transaction.atomic
def choose_digest(*, user: User, digest: str, actor: User | None, now: datetime) -> None:
    """Send `user` their notifications by e-mail so often; the same again changes nothing.

    Raises DigestUnknown.
    """
    if digest not in DigestChoice.values:
        raise DigestUnknown
    if User.objects.filter(pk=user.pk).exclude(digest=digest).update(digest=digest):
        data = {"digest": digest}
        record_event(actor=actor, verb="user.changed", target=f"user:{user.pk}", now=now, data=data)
    user.digest = digest
