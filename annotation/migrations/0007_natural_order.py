"""A column to sort items by, and the indexes of the list of items in that order."""

from django.db import migrations, models

MOVED = [
    models.Index(fields=["subject", "uid_order"], name="item_subject"),
    models.Index(fields=["project", "state", "uid_order"], name="item_state"),
    models.Index(fields=["project", "has_open_findings", "uid_order"], name="item_findings"),
    models.Index(
        fields=["project", "uid_order"],
        condition=models.Q(has_open_errors=True),
        name="item_errors",
    ),
    models.Index(
        fields=["project", "uid_order"],
        condition=models.Q(has_open_warnings=True),
        name="item_warnings",
    ),
    models.Index(
        fields=["project", "uid_order"],
        condition=models.Q(working_translation__isnull=True),
        name="item_untranslated",
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_divide_search_texts"),
        ("projects", "0002_hide_what_an_import_adds"),
    ]
    operations = [
        *(migrations.RemoveIndex(model_name="item", name=index.name) for index in MOVED),
        migrations.AddField(
            model_name="item",
            name="uid_order",
            field=models.CharField(default="", max_length=500),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["project", "uid_order"], name="item_order"),
        ),
        *(migrations.AddIndex(model_name="item", index=index) for index in MOVED),
    ]
