"""Store options, answers and explanations too in what items are searched by, as is done from now on."""

import unicodedata

from django.db import migrations

AT_ONCE = 500
SAID = ("question", "options", "answer", "explanation")


def store_all(apps, schema_editor):
    items = apps.get_model("annotation", "Item")._base_manager
    for rows in _in_batches(items.values_list("pk", "uid", *SAID)):
        _store(apps, "ItemSearchText", "item", rows)
    under_review = items.filter(working_translation__current_revision__isnull=False)
    of_text = "working_translation__current_revision__"
    texts = under_review.values_list("pk", "working_translation", *(of_text + n for n in SAID))
    for rows in _in_batches(texts):
        named = [(translation, "", *said) for _pk, translation, *said in rows]
        _store(apps, "TranslationSearchText", "translation", named)


def _in_batches(rows):
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:AT_ONCE]):
        yield batch
        last = batch[-1][0]


def _store(apps, name, key, rows):
    model = apps.get_model("annotation", name)
    model.objects.bulk_create(
        [model(**{f"{key}_id": pk, "text": _text(*said)}) for pk, *said in rows],
        update_conflicts=True,
        unique_fields=[key],
        update_fields=["text"],
    )


def _text(uid, question, options, answer, explanation):
    parts = filter(None, (uid, question, *options, answer, explanation))
    return unicodedata.normalize("NFC", "\n".join(parts)).casefold() + "\x02\x02"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_kinds_of_item")]
    operations = [migrations.RunPython(store_all, migrations.RunPython.noop)]
