"""Let runs refer to model specs and prompt templates in their new apps; the rows stay where they are."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("endpoints", "0002_model_specs"),
        ("evaluation", "0002_tables_of_models_and_prompts"),
        ("prompts", "0001_prompt_templates"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "run",
                    "model_spec",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="endpoints.modelspec"),
                ),
                migrations.AlterField(
                    "run",
                    "prompt_template",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="prompts.prompttemplate"),
                ),
                migrations.DeleteModel("ModelSpec"),
                migrations.DeleteModel("PromptTemplate"),
            ]
        )
    ]
