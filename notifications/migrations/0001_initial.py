import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0006_digests'),
        ('annotation', '0010_past_exclusions'),
        ('jobs', '0002_waiting_since'),
        ('projects', '0007_reminder_days'),
        ('review', '0015_comments'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
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
                ('kind', models.CharField(choices=[('mentioned', 'mentions of you'), ('replied', 'replies in threads that you take part in'), ('sent_back', 'items sent back to you'), ('overturned', 'judgements of yours decided otherwise'), ('settled', 'disputes with your judgement settled'), ('round_opened', 'new rounds'), ('round_due', 'rounds that are due soon'), ('proposed', 'proposed terms'), ('decided', 'decisions on your proposals'), ('job_ended', 'background jobs that ended')], max_length=12)),
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
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='notification_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['mentioned', 'replied', 'sent_back', 'overturned', 'settled', 'round_opened', 'round_due', 'proposed', 'decided', 'job_ended'])), name='notification_kind_known')],
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
    ]
