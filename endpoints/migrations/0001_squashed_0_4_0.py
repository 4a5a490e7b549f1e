"""The tables of 0.4.0, in place of the migrations that led there."""

import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('endpoints', '0001_initial'), ('endpoints', '0002_model_specs'), ('endpoints', '0003_pace_of_endpoints'), ('endpoints', '0004_prices_of_models'), ('endpoints', '0005_retired_models'), ('endpoints', '0006_runs_asked_elsewhere'), ('endpoints', '0007_plain_engines'), ('endpoints', '0008_sizes_of_models'), ('endpoints', '0009_batch_factor')]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('projects', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='EndpointPace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('base_url', models.URLField(max_length=300, unique=True)),
                ('next_at', models.DateTimeField()),
                ('paused_until', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('provider', models.CharField(choices=[('openai', 'OpenAI-compatible'), ('google_v2', 'Google Translate v2'), ('google_v3', 'Google Translate v3'), ('deepl', 'DeepL'), ('microsoft', 'Microsoft Translator'), ('libretranslate', 'LibreTranslate'), ('niutrans', 'NiuTrans'), ('http_template', 'another translation engine (HTTP template)'), ('elsewhere', 'asked by another program')], default='openai', max_length=20)),
                ('base_url', models.URLField(max_length=300)),
                ('api_key_env', models.CharField(blank=True, max_length=100)),
                ('requests_per_minute', models.PositiveIntegerField(null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000)])),
                ('is_active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField()),
                ('allowed_projects', models.ManyToManyField(blank=True, related_name='+', to='projects.project')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('hidden_item_projects', models.ManyToManyField(blank=True, related_name='+', to='projects.project')),
                ('project', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='endpoints', to='projects.project')),
            ],
            options={
                'indexes': [models.Index(fields=['base_url'], name='endpoint_base_url')],
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='endpoint_one_name'), models.UniqueConstraint(condition=models.Q(('project__isnull', True)), fields=('name',), name='endpoint_one_name_of_server'), models.CheckConstraint(condition=models.Q(('project__isnull', True), ('api_key_env', ''), _connector='OR'), name='endpoint_key_of_server'), models.CheckConstraint(condition=models.Q(('requests_per_minute__isnull', True), models.Q(('requests_per_minute__gte', 1), ('requests_per_minute__lte', 100000)), _connector='OR'), name='endpoint_requests_per_minute')],
            },
        ),
        migrations.CreateModel(
            name='ModelSpec',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('revision', models.PositiveSmallIntegerField(default=1)),
                ('model', models.CharField(max_length=200)),
                ('parameters', models.JSONField(default=dict)),
                ('prompt_price', models.DecimalField(decimal_places=4, max_digits=10, null=True)),
                ('completion_price', models.DecimalField(decimal_places=4, max_digits=10, null=True)),
                ('batch_factor', models.DecimalField(decimal_places=4, default=Decimal('0.5'), max_digits=5)),
                ('size', models.DecimalField(decimal_places=4, max_digits=9, null=True)),
                ('retired_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='model_specs', to='endpoints.endpoint')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='model_specs', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'name', 'revision'), name='modelspec_one_revision'), models.CheckConstraint(condition=models.Q(('batch_factor__gte', 0), ('batch_factor__lte', 1)), name='modelspec_batch_factor')],
            },
        ),
    ]
