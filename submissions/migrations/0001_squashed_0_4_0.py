"""The tables of 0.4.0, in place of the migrations that led there."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('submissions', '0001_initial'), ('submissions', '0002_endpoints_of_teams'), ('submissions', '0003_first_contact_and_epochs')]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('jobs', '0001_squashed_0_4_0'),
        ('projects', '0001_squashed_0_4_0'),
        ('prompts', '0001_squashed_0_4_0'),
        ('releases', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='Rescoring',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('keys', models.JSONField(default=dict)),
                ('started_at', models.DateTimeField()),
                ('done_at', models.DateTimeField(null=True)),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.job')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rescorings', to='releases.release')),
                ('started_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'number'), name='rescoring_one_number')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionPolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_open', models.BooleanField(default=False)),
                ('admission', models.CharField(choices=[('everybody', 'everybody who accepts the terms'), ('admitted', 'teams that a manager has admitted')], default='admitted', max_length=9)),
                ('accepts_dictionaries', models.BooleanField(db_default=True, default=True)),
                ('accepts_endpoints', models.BooleanField(db_default=False, default=False)),
                ('first_contact', models.PositiveIntegerField(db_default=0, default=0)),
                ('is_board_public', models.BooleanField(default=False)),
                ('terms', models.TextField(blank=True)),
                ('terms_version', models.PositiveIntegerField(default=1)),
                ('per_day', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('per_month', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('fewest_in_category', models.PositiveIntegerField(default=100, validators=[django.core.validators.MinValueValidator(30)])),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('per_day__range', (1, 100)), ('per_month__range', (1, 1000))), name='submissionpolicy_quota'), models.CheckConstraint(condition=models.Q(('fewest_in_category__gte', 30)), name='submissionpolicy_category'), models.CheckConstraint(condition=models.Q(('first_contact', 0), ('first_contact__range', (10, 1000)), _connector='OR'), name='submissionpolicy_contact')],
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('code', models.CharField(max_length=24, unique=True)),
                ('created_at', models.DateTimeField()),
                ('admitted_at', models.DateTimeField(null=True)),
                ('trusted_at', models.DateTimeField(null=True)),
                ('banned_at', models.DateTimeField(null=True)),
                ('ban_reason', models.TextField(blank=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='teams', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='team_one_name'), models.CheckConstraint(condition=models.Q(('banned_at', None), models.Q(('ban_reason', ''), _negated=True), _connector='OR'), name='team_ban_reason')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=200)),
                ('size', models.CharField(blank=True, max_length=50)),
                ('prompt', models.TextField(blank=True)),
                ('cutoff', models.CharField(blank=True, max_length=20)),
                ('has_open_weights', models.BooleanField(default=False)),
                ('answers', models.JSONField(default=list)),
                ('epochs', models.PositiveSmallIntegerField(db_default=1, default=1)),
                ('digest', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('queued', 'waiting to be scored'), ('scored', 'scored'), ('failed', 'failed on our side'), ('faulty', "failed at the team's endpoint"), ('cancelled', 'cancelled')], default='queued', max_length=9)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('day', models.CharField(max_length=10)),
                ('month', models.CharField(max_length=7)),
                ('day_slot', models.PositiveSmallIntegerField(null=True)),
                ('month_slot', models.PositiveSmallIntegerField(null=True)),
                ('sent_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('is_told', models.BooleanField(default=False)),
                ('tells_categories', models.BooleanField(default=False)),
                ('visibility', models.CharField(choices=[('shown', 'shown'), ('withdrawn', 'withdrawn by its team'), ('hidden', 'hidden by a manager')], default='shown', max_length=9)),
                ('reason', models.TextField(blank=True)),
                ('flag', models.TextField(blank=True)),
                ('is_verified', models.BooleanField(default=False)),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.job')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='releases.release')),
                ('sent_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='submissions.team')),
                ('twin', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='submissions.submission')),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'state'], name='submission_state')],
                'constraints': [models.UniqueConstraint(fields=('team', 'day', 'day_slot'), name='submission_one_day_slot'), models.UniqueConstraint(fields=('team', 'month', 'month_slot'), name='submission_one_month_slot'), models.UniqueConstraint(condition=models.Q(('state__in', ('failed', 'cancelled')), _negated=True), fields=('team', 'release', 'digest'), name='submission_sent_once'), models.CheckConstraint(condition=models.Q(models.Q(('day_slot', None), ('month_slot', None), ('state__in', ('failed', 'cancelled', 'faulty'))), models.Q(models.Q(('state', 'failed'), _negated=True), ('day_slot__gte', 1), ('month_slot__gte', 1)), _connector='OR'), name='submission_slots'), models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'scored', 'failed', 'faulty', 'cancelled']), ('visibility__in', ['shown', 'withdrawn', 'hidden'])), name='submission_states_known'), models.CheckConstraint(condition=models.Q(models.Q(('visibility', 'hidden'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='submission_hidden_reason'), models.CheckConstraint(condition=models.Q(('epochs__gte', 1)), name='submission_epochs')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionResponse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('error', models.TextField(blank=True)),
                ('reasoning', models.TextField(blank=True)),
                ('refusal', models.TextField(blank=True)),
                ('tool_calls', models.TextField(blank=True)),
                ('body', models.TextField(blank=True)),
                ('finish_reason', models.CharField(blank=True, max_length=40)),
                ('endpoint_model', models.CharField(blank=True, max_length=200)),
                ('prompt_tokens', models.PositiveIntegerField(null=True)),
                ('completion_tokens', models.PositiveIntegerField(null=True)),
                ('latency_ms', models.PositiveIntegerField(default=0)),
                ('try_count', models.PositiveSmallIntegerField(default=1)),
                ('request_hash', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('answered', 'answered'), ('failed', 'no answer from the endpoint')], max_length=8)),
                ('release_item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='releases.releaseitem')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='submissions.submission')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'answered')), fields=('submission', 'release_item'), name='submissionresponse_answered_once')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('correct', models.PositiveIntegerField()),
                ('counted', models.PositiveIntegerField()),
                ('n', models.PositiveIntegerField()),
                ('categories', models.JSONField(default=dict)),
                ('rescoring', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='submissions.rescoring')),
                ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='submissions.submission')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('submission', 'rescoring'), name='submissionscore_once'), models.UniqueConstraint(condition=models.Q(('rescoring', None)), fields=('submission',), name='submissionscore_one_by_released_keys'), models.CheckConstraint(condition=models.Q(('correct__lte', models.F('n')), ('counted__lte', models.F('n'))), name='submissionscore_counts')],
            },
        ),
        migrations.CreateModel(
            name='SubmittedEndpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('base_url', models.URLField(max_length=300)),
                ('sealed_key', models.TextField(blank=True)),
                ('parameters', models.JSONField(default=dict)),
                ('seed', models.PositiveIntegerField()),
                ('first_contact', models.PositiveIntegerField(db_default=0, default=0)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('fault', models.CharField(blank=True, max_length=60)),
                ('unanswered', models.PositiveIntegerField(default=0)),
                ('is_part_counted', models.BooleanField(default=False)),
                ('prompt_template', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='prompts.prompttemplate')),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='endpoint', to='submissions.submission')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='submissions.team')),
            ],
            options={
                'indexes': [models.Index(fields=['team'], name='submittedendpoint_team')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('team',), name='submittedendpoint_one_of_team'), models.CheckConstraint(condition=models.Q(('ended_at', None), ('sealed_key', ''), _connector='OR'), name='submittedendpoint_key_wiped')],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('affiliation', models.CharField(max_length=200)),
                ('terms_version', models.PositiveIntegerField()),
                ('terms_accepted_at', models.DateTimeField()),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='submissions.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='participant_one_team')],
            },
        ),
        migrations.CreateModel(
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('best', models.PositiveIntegerField(null=True)),
                ('requests', models.PositiveIntegerField(default=0)),
                ('climbs', models.PositiveIntegerField(default=0)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='releases.release')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ladders', to='submissions.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team', 'release'), name='ladder_once'), models.CheckConstraint(condition=models.Q(('climbs__lte', models.F('requests'))), name='ladder_counts')],
            },
        ),
    ]
