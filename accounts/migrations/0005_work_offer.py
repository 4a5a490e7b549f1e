"""What an invitation says of the work."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_news'),
    ]

    operations = [
        migrations.AddField(
            model_name='invitation',
            name='offer',
            field=models.JSONField(default=dict),
        ),
    ]
