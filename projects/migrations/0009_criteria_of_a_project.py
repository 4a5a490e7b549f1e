from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0008_glossary_version")]
    operations = [
        migrations.AddField(
            model_name="project",
            name="criteria_text",
            field=models.TextField(blank=True, db_default="", default=""),
        )
    ]
