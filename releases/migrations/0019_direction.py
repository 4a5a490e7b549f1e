"""Freeze the direction of items that ask for a translation with the rest of them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("releases", "0001_squashed_0_4_0")]

    operations = [
        migrations.AddField(
            model_name="releaseitem",
            name="source_language",
            field=models.CharField(blank=True, db_default="", default="", max_length=40),
        ),
        migrations.AddField(
            model_name="releaseitem",
            name="target_language",
            field=models.CharField(blank=True, db_default="", default="", max_length=40),
        ),
    ]
