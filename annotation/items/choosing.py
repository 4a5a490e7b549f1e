"""Which of an item's translations is the one that review, releases and runs are about."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction

from accounts.actions import record_event
from accounts.models import User
from annotation.items.index import refresh_items
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
    people at once one changes it. In order: the pointers, search texts and flags of findings, an
    audit row for each item. Both texts keep their revisions, states and judgements. Returns the
    items that changed.
    """
    before = _systems(seen.values())
    after = _systems(chosen.values())
    changed = [item for item in sorted(chosen) if _moved(item, chosen[item], seen[item])]
    refresh_items(changed)
    for item in changed:
        record_event(
            actor=actor,
            verb="item.translation_chosen",
            target=f"item:{item}",
            scope=project.slug,
            data={"from": before.get(seen[item]), "to": after[chosen[item]], "why": why},
            now=now,
        )
    return changed


def _moved(item: int, translation: int, seen: int | None) -> bool:
    own = Translation.objects.filter(pk=translation).values("item")
    rows = Item.objects.filter(pk=item, pk__in=own, working_translation=seen)
    return bool(rows.update(working_translation=translation))


def _systems(translations: Iterable[int | None]) -> dict[int | None, str]:
    rows = Translation.objects.filter(pk__in={pk for pk in translations if pk})
    return dict(rows.values_list("pk", "system"))
