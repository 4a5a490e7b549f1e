"""Whether runs keep hidden items from endpoints that the project does not allow."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0012_evaluators'),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='guards_hidden_items',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
