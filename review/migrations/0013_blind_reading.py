"""Blind first reading: a setting of rounds, and when the source was shown."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0012_inquiries'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='judgement',
            name='revealed_after',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='round',
            name='has_blind_reading',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name='Reveal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revealed_at', models.DateTimeField()),
                ('panel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='reveals', to='review.panel')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reveals', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('panel', 'reviewer'), name='reveal_once_a_person')],
            },
        ),
    ]
