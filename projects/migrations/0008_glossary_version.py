from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0007_reminder_days")]
    operations = [
        migrations.AddField(
            model_name="project",
            name="glossary_version",
            field=models.PositiveIntegerField(db_default=0, default=0),
        )
    ]
