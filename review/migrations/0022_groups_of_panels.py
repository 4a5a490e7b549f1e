import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("projects", "0010_solving_audience"),
        ("review", "0021_fill_texts_of_controls"),
    ]

    operations = [
        migrations.AddField(
            model_name="panel",
            name="subject",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="projects.subject",
            ),
        ),
        migrations.AddField(
            model_name="panel",
            name="system",
            field=models.CharField(db_default="", max_length=100),
        ),
        migrations.AddField(
            model_name="panel",
            name="is_dev",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
