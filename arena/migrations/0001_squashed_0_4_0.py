"""The tables of 0.4.0, in place of the migrations that led there."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('arena', '0001_arenas')]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('endpoints', '0001_squashed_0_4_0'),
        ('evaluation', '0001_squashed_0_4_0'),
        ('jobs', '0001_squashed_0_4_0'),
        ('projects', '0001_squashed_0_4_0'),
        ('releases', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='Arena',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('plan', models.CharField(choices=[('baseline', 'each against the baseline'), ('balanced', 'all against all')], max_length=8)),
                ('each', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(20)])),
                ('seed', models.PositiveIntegerField(default=0)),
                ('rubric', models.TextField()),
                ('attempts', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('concurrency', models.PositiveSmallIntegerField(default=8, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(64)])),
                ('bound', models.FloatField(default=0.7, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('is_imported', models.BooleanField(default=False)),
                ('figures', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.job')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='arenas', to='projects.project')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='arenas', to='releases.release')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='arena_one_name'), models.CheckConstraint(condition=models.Q(('each__gte', 1), ('each__lte', 20)), name='arena_each'), models.CheckConstraint(condition=models.Q(('attempts__gte', 1), ('attempts__lte', 5)), name='arena_attempts'), models.CheckConstraint(condition=models.Q(('bound__gte', 0), ('bound__lte', 1)), name='arena_bound')],
            },
        ),
        migrations.CreateModel(
            name='Contestant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('family', models.CharField(blank=True, max_length=50)),
                ('is_baseline', models.BooleanField(default=False)),
                ('arena', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contestants', to='arena.arena')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='evaluation.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('arena', 'name'), name='contestant_one_name'), models.UniqueConstraint(fields=('arena', 'run'), name='contestant_one_run'), models.UniqueConstraint(condition=models.Q(('is_baseline', True)), fields=('arena',), name='contestant_one_baseline')],
            },
        ),
        migrations.CreateModel(
            name='Battle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_sampled', models.BooleanField(default=False)),
                ('arena', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='battles', to='arena.arena')),
                ('release_item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='releases.releaseitem')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.contestant')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.contestant')),
            ],
            options={
                'indexes': [models.Index(fields=['arena', 'is_sampled'], name='battle_sampled')],
                'constraints': [models.UniqueConstraint(fields=('arena', 'release_item', 'first', 'second'), name='battle_once'), models.CheckConstraint(condition=models.Q(('first', models.F('second')), _negated=True), name='battle_of_two')],
            },
        ),
        migrations.CreateModel(
            name='Judge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('family', models.CharField(blank=True, max_length=50)),
                ('arena', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judges', to='arena.arena')),
                ('model_spec', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='endpoints.modelspec')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('arena', 'name'), name='judge_one_name')],
            },
        ),
        migrations.CreateModel(
            name='ArenaCall',
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
                ('is_swapped', models.BooleanField()),
                ('attempt', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('answered', 'answered'), ('failed', 'failed')], max_length=8)),
                ('verdict', models.CharField(blank=True, max_length=4)),
                ('battle', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='arena.battle')),
                ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='arena.judge')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'answered')), fields=('battle', 'judge', 'is_swapped', 'attempt'), name='arenacall_answered_once'), models.UniqueConstraint(condition=models.Q(('verdict', ''), _negated=True), fields=('battle', 'judge', 'is_swapped'), name='arenacall_one_verdict'), models.CheckConstraint(condition=models.Q(('verdict', ''), models.Q(('state', 'answered'), ('verdict__in', ['A>>B', 'A>B', 'A=B', 'B>A', 'B>>A'])), _connector='OR'), name='arenacall_verdict')],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_swapped', models.BooleanField()),
                ('reserved_until', models.DateTimeField()),
                ('verdict', models.CharField(blank=True, max_length=4)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('judged_at', models.DateTimeField(null=True)),
                ('battle', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='arena.battle')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['person', 'judged_at'], name='arenaseat_of_person')],
                'constraints': [models.UniqueConstraint(fields=('battle', 'person'), name='arenaseat_one_a_person'), models.CheckConstraint(condition=models.Q(models.Q(('judged_at__isnull', True), ('verdict', '')), models.Q(('judged_at__isnull', False), ('verdict__in', ['A>>B', 'A>B', 'A=B', 'B>A', 'B>>A'])), _connector='OR'), name='arenaseat_judged_has_verdict')],
            },
        ),
    ]
