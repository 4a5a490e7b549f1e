"""Rows for the corrections of keys, and for when an item was excluded or restored."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q

PERSON = {
    "null": True,
    "on_delete": django.db.models.deletion.PROTECT,
    "related_name": "+",
    "to": settings.AUTH_USER_MODEL,
}


def number():
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_fill_natural_order"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="KeyChange",
            fields=[
                ("id", number()),
                ("number", models.PositiveSmallIntegerField()),
                ("old_key", models.CharField(max_length=40)),
                ("new_key", models.CharField(max_length=40)),
                ("reason", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("author", models.ForeignKey(**PERSON)),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="key_changes",
                        to="annotation.item",
                    ),
                ),
                (
                    "supersedes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="superseded_by",
                        to="annotation.keychange",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("item", "number"), name="keychange_one_number"),
                    models.CheckConstraint(
                        condition=Q(number=1, supersedes__isnull=True)
                        | Q(number__gt=1, supersedes__isnull=False),
                        name="keychange_chain",
                    ),
                    models.CheckConstraint(
                        condition=~Q(old_key=F("new_key")), name="keychange_differs"
                    ),
                    models.CheckConstraint(condition=~Q(reason=""), name="keychange_has_reason"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ItemStateChange",
            fields=[
                ("id", number()),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "active"), ("excluded", "excluded")], max_length=8
                    ),
                ),
                ("reason", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("author", models.ForeignKey(**PERSON)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="state_changes",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(state__in=["active", "excluded"]),
                        name="itemstatechange_state_known",
                    )
                ],
            },
        ),
    ]
