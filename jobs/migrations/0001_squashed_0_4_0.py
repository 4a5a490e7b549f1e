"""The tables of 0.4.0, in place of the migrations that led there."""

from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('jobs', '0001_initial'), ('jobs', '0002_waiting_since'), ('jobs', '0003_queues_of_workers'), ('jobs', '0004_held_jobs')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='WorkerBeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True)),
                ('queues', models.CharField(blank=True, max_length=100)),
                ('seen_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('scope', models.CharField(max_length=100)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('held', 'waits for its file'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=12)),
                ('params', models.JSONField(default=dict)),
                ('result', models.JSONField(default=dict)),
                ('total', models.PositiveIntegerField(default=0)),
                ('done', models.PositiveIntegerField(default=0)),
                ('note_code', models.CharField(blank=True, max_length=60)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('error_data', models.JSONField(default=dict)),
                ('crash_count', models.PositiveSmallIntegerField(default=0)),
                ('requested_by', models.CharField(blank=True, max_length=254)),
                ('worker', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
                ('queued_at', models.DateTimeField()),
                ('waiting_since', models.DateTimeField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('clock_at', models.DateTimeField(null=True)),
                ('clock_done', models.PositiveIntegerField(default=0)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('cancel_requested_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'heartbeat_at'], name='job_state_heartbeat'), models.Index(fields=['state', 'queued_at'], name='job_state_queued'), models.Index(fields=['scope', 'id'], name='job_scope_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'held', 'running', 'done', 'failed', 'cancelled'])), name='job_state_known')],
            },
        ),
    ]
