from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('releases', '0005_fill_public_ids'),
    ]

    operations = [
        migrations.AddConstraint(
            model_name='releaseitem',
            constraint=models.UniqueConstraint(fields=('release', 'public_id'), name='releaseitem_one_public_id'),
        ),
    ]
