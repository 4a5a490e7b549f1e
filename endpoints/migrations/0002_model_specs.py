"""Model specs belong to endpoints. The table exists already, so only Django's picture of it changes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("endpoints", "0001_initial"),
        ("evaluation", "0002_tables_of_models_and_prompts"),
        ("projects", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="ModelSpec",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(max_length=100)),
                        ("revision", models.PositiveSmallIntegerField(default=1)),
                        ("model", models.CharField(max_length=200)),
                        ("parameters", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField()),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("endpoint", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="model_specs", to="endpoints.endpoint")),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="model_specs", to="projects.project")),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("project", "name", "revision"), name="modelspec_one_revision")],
                    },
                ),
            ]
        )
    ]
