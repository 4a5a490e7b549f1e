import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0006_work_offer'),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='reminder_days',
            field=models.PositiveSmallIntegerField(db_default=3, default=3, validators=[django.core.validators.MaxValueValidator(60)]),
        ),
    ]
