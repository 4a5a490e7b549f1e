import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("jobs", "0002_waiting_since"),
        ("review", "0024_index_of_groups_of_panels"),
    ]

    operations = [
        migrations.AddField(
            model_name="textchoice",
            name="job",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="jobs.job",
            ),
        ),
    ]
