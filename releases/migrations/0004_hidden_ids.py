import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0001_initial"),
        ("releases", "0003_let_the_revision_hold_the_item"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReleaseSecret",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="projects.project",
                    ),
                ),
                ("value", models.CharField(max_length=64)),
            ],
        ),
        migrations.AddField(
            model_name="release",
            name="prefers_experts",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="releaseitem",
            name="public_id",
            field=models.CharField(max_length=200, default=""),
            preserve_default=False,
        ),
    ]
