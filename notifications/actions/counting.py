"""Keeping the number on the bell: counted anew from the rows whenever they change."""

from collections.abc import Collection

from django.db import transaction

from accounts.actions import set_unread_counts
from accounts.models import User
from notifications.queries import unread_counts


@transaction.atomic
def recount(users: Collection[int]) -> None:
    """Count the unread notifications of `users` anew.

    People are locked first, in the order of their ids: of two at once, the second counts what the
    first has written.
    """
    if not users:
        return
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=users).order_by("pk")
    set_unread_counts(unread_counts(list(rows.values_list("pk", flat=True))))
