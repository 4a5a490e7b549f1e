"""The tables of 0.4.0, in place of the migrations that led there."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('projects', '0001_initial'), ('projects', '0002_hide_what_an_import_adds'), ('projects', '0003_work_ahead_and_undo'), ('projects', '0004_pay_rates'), ('projects', '0005_pause_message_and_one_language'), ('projects', '0006_work_offer'), ('projects', '0007_reminder_days'), ('projects', '0008_glossary_version'), ('projects', '0009_criteria_of_a_project'), ('projects', '0010_solving_audience'), ('projects', '0011_contributors'), ('projects', '0012_evaluators'), ('projects', '0013_guards_hidden_items')]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('source_language', models.CharField(max_length=20)),
                ('target_language', models.CharField(max_length=20)),
                ('items_ahead', models.PositiveSmallIntegerField(db_default=5, default=5, validators=[django.core.validators.MaxValueValidator(20)])),
                ('undo_minutes', models.PositiveSmallIntegerField(db_default=10, default=10, validators=[django.core.validators.MaxValueValidator(1440)])),
                ('reminder_days', models.PositiveSmallIntegerField(db_default=3, default=3, validators=[django.core.validators.MaxValueValidator(60)])),
                ('guards_hidden_items', models.BooleanField(db_default=False, default=False)),
                ('created_at', models.DateTimeField()),
                ('is_browsing_closed', models.BooleanField(db_default=False, default=False)),
                ('glossary_version', models.PositiveIntegerField(db_default=0, default=0)),
                ('criteria_text', models.TextField(blank=True, db_default='', default='')),
                ('solving_audience', models.JSONField(blank=True, null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Subject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=200)),
                ('category', models.CharField(blank=True, max_length=100)),
                ('dimension', models.CharField(blank=True, max_length=100)),
                ('level', models.CharField(blank=True, max_length=100)),
                ('is_hidden', models.BooleanField(db_default=False, default=False)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subjects', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'slug'), name='subject_one_slug')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('manager', 'manager'), ('senior', 'senior'), ('reviewer', 'reviewer'), ('viewer', 'viewer'), ('evaluator', 'evaluator')], max_length=10)),
                ('languages', models.JSONField(default=list)),
                ('is_paused', models.BooleanField(default=False)),
                ('pause_message', models.CharField(blank=True, db_default='', max_length=1000)),
                ('created_at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='projects.project')),
                ('subjects', models.ManyToManyField(blank=True, related_name='experts', to='projects.subject')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='membership_one_role'), models.CheckConstraint(condition=models.Q(('role__in', ['manager', 'senior', 'reviewer', 'viewer', 'evaluator'])), name='membership_role_known')],
            },
        ),
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
        migrations.CreateModel(
            name='PayRate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('from_month', models.DateField()),
                ('hourly', models.DecimalField(decimal_places=2, max_digits=12)),
                ('currency', models.CharField(max_length=3)),
                ('set_at', models.DateTimeField()),
                ('set_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pay_rates', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='pay_rates', to='projects.project')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'user', '-from_month', '-id'], name='payrate_latest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('hourly__gte', 0)), name='payrate_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Contributor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150)),
                ('agreed_at', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='contributors', to='projects.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contributions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='contributor_one_name'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='contributor_named')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('system', models.CharField(blank=True, max_length=100)),
                ('revision', models.CharField(blank=True, max_length=100)),
                ('url', models.URLField(blank=True, max_length=500)),
                ('licence', models.CharField(blank=True, max_length=100)),
                ('attribution', models.TextField(blank=True)),
                ('checksum', models.CharField(max_length=64)),
                ('is_hidden', models.BooleanField(db_default=False, default=False)),
                ('created_at', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'name', 'revision', 'system'), name='source_one_revision')],
            },
        ),
    ]
