"""Compares the keys of duplicate pairs again, once the key of an item is corrected."""

from collections.abc import Sequence

from django.db.models import Q

from annotation.duplicates.clusters import measure_clusters_of
from annotation.duplicates.dedupe.texts import ItemText, same_key
from annotation.enums import TextSide
from annotation.models import DuplicatePair, Item


def compare_keys_again(item: Item) -> None:
    """Store for each pair of the item whether both take the same answer for right now.

    The rule is the search's: either the texts of the pair's side say so, or the source does. Call
    it after `lock_clusters`.
    """
    rows = DuplicatePair.objects.filter(Q(a=item) | Q(b=item))
    pairs = rows.select_related(
        "a__working_translation__current_revision", "b__working_translation__current_revision"
    )
    changed = []
    for pair in pairs.order_by("pk"):
        is_same = _have_same_key(pair)
        if pair.has_same_key != is_same:
            pair.has_same_key = is_same
            changed.append(pair)
    if changed:
        DuplicatePair.objects.bulk_update(changed, ["has_same_key"])
        measure_clusters_of(item)


def _have_same_key(pair: DuplicatePair) -> bool:
    if pair.side == TextSide.TARGET:
        here = [_key_text(item, _target_options(item)) for item in (pair.a, pair.b)]
        if all(text.options for text in here) and same_key(*here):
            return True
    return same_key(*(_key_text(item, item.options) for item in (pair.a, pair.b)))


def _target_options(item: Item) -> Sequence[str]:
    translation = item.working_translation
    revision = translation.current_revision if translation else None
    return revision.options if revision else ()


def _key_text(item: Item, options: Sequence[str]) -> ItemText:
    return ItemText(item.pk, "", tuple(options), item.key)
