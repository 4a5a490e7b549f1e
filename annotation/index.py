"""Keeps what the list of items is searched and filtered by: search texts and flags of findings.

Every action that writes texts or findings calls one of these functions in its transaction; a test
recomputes both. Calling them again changes nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from django.db import transaction
from django.db.models import F

from annotation.enums import Severity
from annotation.models import Finding, Item, ItemSearchText, Revision, TranslationSearchText
from annotation.search_text import search_text

AT_ONCE = 500
Flags = tuple[bool, bool, bool]
FLAGS = ("has_open_errors", "has_open_warnings", "has_open_findings")


def refresh_items(item_ids: Iterable[int]) -> None:
    """Bring search texts and flags of these items in step with their current texts and findings."""
    ids = set(item_ids)
    refresh_search_texts(ids)
    refresh_finding_flags(ids)


def refresh_chosen(item_ids: Iterable[int]) -> None:
    """Bring search texts and flags in step where another translation has become the working one.

    The search text of an item says nothing of its translations, and a translation that was the
    working one before has its own already: only what is missing is written.
    """
    for ids in _batches(item_ids):
        current = Item.objects.filter(pk__in=ids).values("working_translation__current_revision")
        store_translation_texts(
            Revision.objects.filter(pk__in=current, translation__search_text=None)
        )
        refresh_finding_flags(ids)


def refresh_search_texts(item_ids: Iterable[int]) -> None:
    """Store what a search looks at: uid, every text of the source and of the text under review."""
    for ids in _batches(item_ids):
        rows = Item.objects.filter(pk__in=ids).order_by("pk")
        ItemSearchText.objects.bulk_create(
            [
                ItemSearchText(item_id=item.pk, text=search_text(item, uid=item.uid))
                for item in rows
            ],
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["text"],
        )
        texts = Revision.objects.filter(pk__in=rows.values("working_translation__current_revision"))
        store_translation_texts(texts)


def store_translation_texts(current: Iterable[Revision]) -> None:
    """Store what a search looks at of the translations whose current texts are given."""
    TranslationSearchText.objects.bulk_create(
        [
            TranslationSearchText(translation_id=text.translation_id, text=search_text(text))
            for text in current
        ],
        update_conflicts=True,
        unique_fields=["translation"],
        update_fields=["text"],
    )


def refresh_finding_flags(item_ids: Iterable[int]) -> None:
    """Store whether the current text of each item has open errors, open warnings, or any finding."""
    for ids in _batches(item_ids):
        with transaction.atomic(savepoint=False):
            # Of two at once, the second counts what the first has written.
            lock_items(ids)
            _store_flags(ids)


def lock_items(item_ids: Collection[int]) -> None:
    """Lock items by id until the caller's transaction ends; before their findings are changed."""
    rows = Item.objects.select_for_update(no_key=True).filter(pk__in=item_ids).order_by("pk")
    list(rows.values_list("pk", flat=True))


def _store_flags(item_ids: Collection[int]) -> None:
    severities = _open_severities(item_ids)
    alike: defaultdict[Flags, list[int]] = defaultdict(list)
    for pk in item_ids:
        alike[flags_of(severities.get(pk, set()))].append(pk)
    for flags, pks in alike.items():
        wanted = dict(zip(FLAGS, flags, strict=True))
        Item.objects.filter(pk__in=pks).exclude(**wanted).update(**wanted)


def _open_severities(item_ids: Collection[int]) -> dict[int, set[str]]:
    rows = Finding.objects.open().filter(
        revision__translation__item__in=item_ids,
        revision__translation__item__working_translation=F("revision__translation"),
        revision__translation__current_revision=F("revision"),
    )
    found: defaultdict[int, set[str]] = defaultdict(set)
    for item, severity in rows.values_list("revision__translation__item", "severity").distinct():
        found[item].add(severity)
    return found


def flags_of(severities: Collection[str]) -> Flags:
    """Return the values of FLAGS for a text whose open findings have these severities."""
    return Severity.ERROR in severities, Severity.WARNING in severities, bool(severities)


def _batches(item_ids: Iterable[int]) -> Iterator[list[int]]:
    ids = sorted(set(item_ids))
    for start in range(0, len(ids), AT_ONCE):
        yield ids[start : start + AT_ONCE]
