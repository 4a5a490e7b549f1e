"""What invitations to a project say of the work."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0005_pause_message_and_one_language'),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkOffer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.TextField(blank=True, max_length=2000)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('items', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)])),
                ('minutes', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)])),
                ('pay', models.DecimalField(blank=True, decimal_places=2, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('currency', models.CharField(blank=True, max_length=3)),
                ('unit', models.CharField(choices=[('hour', 'per hour'), ('item', 'per item')], default='hour', max_length=4)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='work_offer', to='projects.project')),
            ],
        ),
    ]
