"""A team need not say whether the weights of its model are open."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0010_flags_of_members")]
    operations = [
        migrations.AlterField(
            model_name="submission",
            name="has_open_weights",
            field=models.BooleanField(null=True),
        )
    ]
