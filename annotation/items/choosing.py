"""Chooses the translation of an item that review, releases and runs are about."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, Subquery

from accounts.actions import record_events
from accounts.models import User
from annotation.index import refresh_chosen
from annotation.models import Item, Translation
from projects.models import Project


@transaction.atomic
def choose_translations(
    *,
    project: Project,
    chosen: Mapping[int, int],
    seen: Mapping[int, int | None],
    why: str,
    actor: User | None,
    now: datetime,
) -> list[int]:
    """Make translations the working ones of their items: `chosen` is {item: translation}.

    An item whose working translation is not the one that was `seen` stays as it is, so of two
    people at once one changes it: the rows are locked before they are compared. In order: the
    pointers, missing search texts and flags of findings, an audit row for each item. Both texts keep
    their revisions, states and judgements. Returns the items that changed.
    """
    before = _systems(seen.values())
    after = _systems(chosen.values())
    changed = _as_seen(chosen, seen)
    _point(changed, chosen)
    refresh_chosen(changed)
    record_events(
        actor=actor,
        verb="item.translation_chosen",
        targets={
            f"item:{item}": {"from": before.get(seen[item]), "to": after[chosen[item]], "why": why}
            for item in changed
        },
        scope=project.slug,
        now=now,
    )
    return changed


def _as_seen(chosen: Mapping[int, int], seen: Mapping[int, int | None]) -> list[int]:
    """Return the items that have the text that was seen and own the one that is chosen; lock them."""
    rows = Translation.objects.filter(pk__among=chosen.values()).values_list("pk", "item")
    owners = dict(rows)
    items = Item.objects.select_for_update(of=("self",)).filter(pk__among=chosen).order_by("pk")
    return [
        pk
        for pk, working in items.values_list("pk", "working_translation")
        if working == seen[pk] and owners.get(chosen[pk]) == pk
    ]


def _point(items: Sequence[int], chosen: Mapping[int, int]) -> None:
    """Set the pointers of locked items, in one statement."""
    texts = [chosen[pk] for pk in items]
    own = Translation.objects.filter(item=OuterRef("pk"), pk__among=texts)
    Item.objects.filter(pk__among=items).update(working_translation=Subquery(own.values("pk")[:1]))


def _systems(translations: Iterable[int | None]) -> dict[int | None, str]:
    rows = Translation.objects.filter(pk__among={pk for pk in translations if pk})
    return dict(rows.values_list("pk", "system"))
