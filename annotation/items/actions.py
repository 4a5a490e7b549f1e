"""Taking an item out of the benchmark and back in, each with a reason."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.duplicates.clusters import lock_clusters, measure_clusters_of
from annotation.enums import ITEM_TRANSITIONS, ItemState
from annotation.models import Item, ItemStateChange
from common.db import move
from common.errors import DomainError
from common.reasons import checked_reason


class ItemAlreadyExcluded(DomainError):
    code = "item_already_excluded"
    detail = _("This item has already been excluded.")


class ItemNotExcluded(DomainError):
    code = "item_not_excluded"
    detail = _("This item is not excluded.")


def exclude_item(*, item: Item, reason: str, actor: User | None, now: datetime) -> None:
    """Leave the item out of rounds and releases; its texts and judgements stay.

    Raises ReasonMissing, ReasonTooLong, TextInvalid, ItemAlreadyExcluded.
    """
    _move(item, ItemState.EXCLUDED, ItemAlreadyExcluded, reason, actor, now)


def restore_item(*, item: Item, reason: str, actor: User | None, now: datetime) -> None:
    """Take an excluded item back in.

    Raises ReasonMissing, ReasonTooLong, TextInvalid, ItemNotExcluded.
    """
    _move(item, ItemState.ACTIVE, ItemNotExcluded, reason, actor, now)


@transaction.atomic
def _move(
    item: Item,
    state: ItemState,
    refusal: type[DomainError],
    reason: str,
    actor: User | None,
    now: datetime,
) -> None:
    reason = checked_reason(reason)
    lock_clusters(item.project_id)
    move(
        Item.objects.filter(pk=item.pk),
        to=state,
        transitions=ITEM_TRANSITIONS,
        refusal=refusal,
        state_reason=reason,
    )
    ItemStateChange.objects.create(
        item=item, state=state, reason=reason, author=actor, created_at=now
    )
    measure_clusters_of(item)
    record_event(
        actor=actor,
        verb=f"item.{'excluded' if state == ItemState.EXCLUDED else 'restored'}",
        target=f"item:{item.pk}",
        scope=item.project.slug,
        data={"uid": item.uid, "reason": reason},
        now=now,
    )
