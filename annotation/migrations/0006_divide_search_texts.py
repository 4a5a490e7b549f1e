"""Move the translations out of the search texts of items, into rows of their own."""

import unicodedata

from django.db import migrations

AT_ONCE = 500


def divide(apps, schema_editor):
    for rows in _items(apps):
        _store(apps, "ItemSearchText", "item", [(pk, _text(*said)) for pk, *said, _of, _ in rows])
        texts = [(of, _text(text or "")) for *_said, of, text in rows if of]
        _store(apps, "TranslationSearchText", "translation", texts)


def join(apps, schema_editor):
    for rows in _items(apps):
        texts = [
            (pk, _text(*filter(None, (*said, text)))) for pk, *said, _of, text in rows
        ]
        _store(apps, "ItemSearchText", "item", texts)


def _items(apps):
    """Some items at a time: id, uid, question, translation under review, its current question."""
    items = apps.get_model("annotation", "Item")._base_manager.order_by("pk")
    named = items.values_list(
        "pk",
        "uid",
        "question",
        "working_translation",
        "working_translation__current_revision__question",
    )
    last = 0
    while rows := list(named.filter(pk__gt=last)[:AT_ONCE]):
        yield rows
        last = rows[-1][0]


def _text(*parts):
    return unicodedata.normalize("NFC", "\n".join(parts)).casefold() + "\x02\x02"


def _store(apps, name, key, texts):
    model = apps.get_model("annotation", name)
    model.objects.bulk_create(
        [model(**{f"{key}_id": pk, "text": text}) for pk, text in texts],
        update_conflicts=True,
        unique_fields=[key],
        update_fields=["text"],
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_translation_search_index")]
    operations = [migrations.RunPython(divide, join)]
