import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("review", "0023_fill_groups_of_panels")]

    operations = [
        migrations.AlterField(
            model_name="panel",
            name="subject",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="projects.subject",
            ),
        ),
        migrations.RemoveIndex(model_name="panel", name="panel_tally"),
        migrations.AddIndex(
            model_name="panel",
            index=models.Index(
                fields=["round", "outcome", "tally", "subject", "system", "is_dev", "is_control"],
                name="panel_groups",
            ),
        ),
    ]
