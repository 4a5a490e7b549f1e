"""Who sees the opinions of models: a setting of rounds."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0031_bulk_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='opinions_shown',
            field=models.CharField(choices=[('nobody', 'nobody'), ('after-verdict', 'reviewers after their verdict, and seniors in disputes'), ('seniors', 'seniors in disputes')], db_default='nobody', default='nobody', max_length=13),
        ),
    ]
