"""Prompt templates get an app. The table exists already, so only Django's picture of it changes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("evaluation", "0002_tables_of_models_and_prompts"),
        ("projects", "0001_initial"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="PromptTemplate",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(max_length=100)),
                        ("revision", models.PositiveSmallIntegerField(default=1)),
                        ("language", models.CharField(max_length=20)),
                        ("style", models.CharField(choices=[("direct", "direct answer"), ("chain-of-thought", "chain of thought")], default="direct", max_length=20)),
                        ("system", models.TextField(blank=True)),
                        ("frame", models.TextField()),
                        ("created_at", models.DateTimeField()),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="prompt_templates", to="projects.project")),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("project", "name", "revision"), name="prompttemplate_one_revision")],
                    },
                ),
            ]
        )
    ]
