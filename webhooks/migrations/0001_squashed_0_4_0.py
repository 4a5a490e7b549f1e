"""The tables of 0.4.0, in place of the migrations that led there."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('webhooks', '0001_webhooks'), ('webhooks', '0002_dispute_opened_is_an_event'), ('webhooks', '0003_problems_in_plain_words')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0_4_0'),
        ('accounts', '__first__'),
        ('jobs', '0001_squashed_0_4_0'),
        ('projects', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('events', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('active', 'active'), ('failing', 'switched off, because it does not answer')], default='active', max_length=7)),
                ('nonce', models.CharField(max_length=43)),
                ('previous_nonce', models.CharField(blank=True, max_length=43)),
                ('previous_until', models.DateTimeField(null=True)),
                ('read_event', models.BigIntegerField(default=0)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'url'), name='webhook_one_address'), models.CheckConstraint(condition=models.Q(('state__in', ['active', 'failing'])), name='webhook_state_known')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('uid', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('name', models.CharField(choices=[('release.built', 'a release was built'), ('release.published', 'a release was published'), ('release.yanked', 'a release was yanked'), ('round.opened', 'a round was opened'), ('round.paused', 'a round was paused'), ('round.resumed', 'a round was resumed'), ('round.closed', 'a round was closed'), ('round.discarded', 'a round was discarded'), ('dispute.opened', 'a dispute was opened'), ('dispute.settled', 'a dispute was settled'), ('dispute.reopened', 'a dispute was reopened'), ('job.started', 'a job was started'), ('job.resumed', 'a job was resumed'), ('job.ended', 'a job ended: done, failed or cancelled'), ('ping', 'a test')], max_length=20)),
                ('payload', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('held', 'waits for the end of a job'), ('waiting', 'waiting'), ('delivered', 'delivered'), ('failed', 'given up')], default='waiting', max_length=9)),
                ('first_tried_at', models.DateTimeField(null=True)),
                ('tried_at', models.DateTimeField(null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('problem', models.CharField(blank=True, choices=[('', 'none'), ('status', 'The receiver answered with an error.'), ('redirect', 'The receiver answered with a redirect, which is not followed.'), ('timeout', 'The receiver did not answer in time.'), ('connection', 'The connection was refused or broken off.'), ('tls', 'The certificate of the receiver cannot be trusted.'), ('unresolved', 'The host name of the address is not known.'), ('private', 'The host name leads to a private network, which is not allowed.'), ('port', 'The port of the address is not allowed.'), ('lost', 'A worker stopped while it sent the last try.'), ('unreadable', 'What happened can no longer be read.')], max_length=10)),
                ('created_at', models.DateTimeField()),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.auditevent')),
                ('job', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='jobs.job')),
                ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
            ],
            options={
                'indexes': [models.Index(fields=['webhook', '-id'], name='delivery_newest'), models.Index(condition=models.Q(('state', 'waiting')), fields=['webhook', 'due_at'], name='delivery_due'), models.Index(condition=models.Q(('state', 'held')), fields=['id'], name='delivery_held'), models.Index(fields=['created_at'], name='delivery_oldest')],
                'constraints': [models.UniqueConstraint(fields=('webhook', 'event', 'name'), name='delivery_once'), models.CheckConstraint(condition=models.Q(('state__in', ['held', 'waiting', 'delivered', 'failed'])), name='delivery_state_known')],
            },
        ),
    ]
