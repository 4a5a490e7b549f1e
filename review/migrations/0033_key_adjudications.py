"""One word for a senior's decision: a ruling on a key is called an adjudication too."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("annotation", "0001_initial"),
        ("review", "0032_opinions_shown"),
    ]

    operations = [
        migrations.RenameModel("KeyRuling", "KeyAdjudication"),
        migrations.RemoveConstraint("keyadjudication", "keyruling_has_reason"),
        migrations.AddConstraint(
            "keyadjudication",
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="keyadjudication_has_reason"
            ),
        ),
        migrations.AlterField(
            "keyadjudication",
            "panel",
            models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="key_adjudication",
                to="review.panel",
            ),
        ),
        migrations.AlterField(
            "keyadjudication",
            "senior",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="key_adjudications",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            "keyadjudication",
            "change",
            models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="adjudication",
                to="annotation.keychange",
            ),
        ),
    ]
