"""Taking an item out of the benchmark and back in, each with a reason."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.duplicates.clusters import (
    lock_clusters,
    measure_clusters_of,
    measure_clusters_of_items,
)
from annotation.enums import ITEM_TRANSITIONS, ItemState
from annotation.models import Item, ItemStateChange
from common.db import move, sources_of
from common.errors import DomainError
from common.reasons import checked_reason
from projects.models import Project


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
def move_items(
    *,
    project: Project,
    item_ids: Collection[int],
    state: ItemState,
    reason: str,
    actor: User | None,
    now: datetime,
) -> list[ItemStateChange]:
    """Exclude or restore several items; return the change of each one that was in another state.

    Writes no audit row: whoever changes many items records them as one. Some hundreds at a time,
    as everybody waits meanwhile. Raises ReasonMissing, ReasonTooLong, TextInvalid.
    """
    reason = checked_reason(reason)
    lock_clusters(project.pk)
    rows = Item.objects.filter(project=project, pk__among=item_ids)
    rows = rows.filter(state__in=sources_of(state, ITEM_TRANSITIONS)).order_by("pk")
    moving = list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))
    Item.objects.filter(pk__among=moving).update(state=state, state_reason=reason)
    changes = ItemStateChange.objects.bulk_create(
        ItemStateChange(item_id=pk, state=state, reason=reason, author=actor, created_at=now)
        for pk in moving
    )
    measure_clusters_of_items(moving)
    return changes


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
