"""The tables of 0.4.0, in place of the migrations that led there."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def begin(apps, schema_editor):
    """Tell of what happens from now on."""
    apps.get_model("notifications", "Cursor").objects.create(pk=1)


class Migration(migrations.Migration):

    replaces = [('notifications', '0001_initial'), ('notifications', '0002_begin_now'), ('notifications', '0003_webhooks_off'), ('notifications', '0004_substitutes'), ('notifications', '0005_reopened_disputes'), ('notifications', '0006_plainer_kinds')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0_4_0'),
        ('accounts', '__first__'),
        ('annotation', '0001_squashed_0_4_0'),
        ('jobs', '0001_squashed_0_4_0'),
        ('projects', '0001_squashed_0_4_0'),
        ('review', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='Cursor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='ToldEvent',
            fields=[
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='accounts.auditevent')),
            ],
        ),
        migrations.CreateModel(
            name='Digest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sent_at', models.DateTimeField(null=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('mentioned', 'mentions of you'), ('replied', 'replies in threads that you take part in'), ('sent_back', 'items sent back to you'), ('substitute', 'disputes that you were named for'), ('overturned', 'disputes settled against your judgement'), ('settled', 'settled disputes that you judged'), ('reopened', 'reopened disputes that you judged'), ('round_opened', 'new rounds'), ('round_due', 'rounds that are due soon'), ('proposed', 'proposed terms'), ('decided', 'decisions on your proposals'), ('job_ended', 'background jobs that ended'), ('webhook_off', 'webhooks that were switched off')], max_length=12)),
                ('key', models.CharField(max_length=60)),
                ('is_waiting', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField()),
                ('read_at', models.DateTimeField(null=True)),
                ('mailed_at', models.DateTimeField(null=True)),
                ('comment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='review.comment')),
                ('item', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.item')),
                ('job', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='jobs.job')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='projects.project')),
                ('round', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='review.round')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notifications', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-created_at', '-id'], name='notification_newest'), models.Index(condition=models.Q(('is_waiting', False), ('read_at__isnull', True)), fields=['user'], name='notification_unread'), models.Index(condition=models.Q(('is_waiting', True)), fields=['id'], name='notification_waiting')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='notification_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['mentioned', 'replied', 'sent_back', 'substitute', 'overturned', 'settled', 'reopened', 'round_opened', 'round_due', 'proposed', 'decided', 'job_ended', 'webhook_off'])), name='notification_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='Reminder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('due_on', models.DateField()),
                ('sent_at', models.DateTimeField()),
                ('round', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='review.round')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('round', 'due_on'), name='reminder_once_a_date')],
            },
        ),
        migrations.RunPython(begin, migrations.RunPython.noop),
    ]
