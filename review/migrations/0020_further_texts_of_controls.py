"""What a control item shows as answer and explanation."""

from django.db import migrations, models

TEXT = {"blank": True, "default": "", "db_default": ""}


class Migration(migrations.Migration):
    dependencies = [("review", "0019_text_choices")]
    operations = [
        migrations.AddField("control", "answer", models.TextField(**TEXT)),
        migrations.AddField("control", "explanation", models.TextField(**TEXT)),
    ]
