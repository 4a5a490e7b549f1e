"""The tables of 0.4.0, in place of the migrations that led there."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('releases', '0001_initial'), ('releases', '0002_release_item_indexes'), ('releases', '0003_let_the_revision_hold_the_item'), ('releases', '0004_hidden_ids'), ('releases', '0005_fill_public_ids'), ('releases', '0006_one_public_id'), ('releases', '0007_release_details'), ('releases', '0008_hub_publications'), ('releases', '0009_problem_reports'), ('releases', '0010_kinds_of_item'), ('releases', '0011_waivers'), ('releases', '0012_option_order'), ('releases', '0013_fill_item_keys'), ('releases', '0014_dev_from'), ('releases', '0015_hide_every_test'), ('releases', '0016_ten_options'), ('releases', '0017_let_the_subject_hold_the_release'), ('releases', '0018_hidden_part')]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('annotation', '0001_squashed_0_4_0'),
        ('jobs', '0001_squashed_0_4_0'),
        ('projects', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=40)),
                ('state', models.CharField(choices=[('building', 'building'), ('built', 'ready to publish'), ('published', 'published'), ('yanked', 'yanked'), ('failed', 'failed')], default='building', max_length=10)),
                ('dev_per_subject', models.PositiveSmallIntegerField(default=5)),
                ('dev_from', models.CharField(choices=[('source', 'from the dev items of the source'), ('carved', 'carved from the test items'), ('both', 'from the dev items of the source, filled up from the test items')], db_default='source', default='source', max_length=6)),
                ('black_box_share', models.FloatField(default=0.0)),
                ('hidden_part', models.CharField(choices=[('closed', 'closed: neither texts nor keys'), ('withheld', 'answers withheld: texts, but no keys')], db_default='closed', default='closed', max_length=8)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('prefers_experts', models.BooleanField(db_default=False, default=False)),
                ('option_order', models.CharField(choices=[('kept', 'as the items have them'), ('shuffled', 'shuffled, with keys balanced')], db_default='kept', default='kept', max_length=8)),
                ('formats', models.JSONField(default=list)),
                ('notes', models.TextField(blank=True)),
                ('counts', models.JSONField(default=dict)),
                ('quality', models.JSONField(default=dict)),
                ('facts', models.JSONField(default=dict)),
                ('content_hash', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField()),
                ('frozen_at', models.DateTimeField(null=True)),
                ('built_at', models.DateTimeField(null=True)),
                ('published_at', models.DateTimeField(null=True)),
                ('yanked_at', models.DateTimeField(null=True)),
                ('yank_reason', models.TextField(blank=True)),
                ('is_for_everybody', models.BooleanField(db_default=False, default=False)),
                ('changes', models.JSONField(default=dict)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.job')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'version'), name='release_one_version'), models.CheckConstraint(condition=models.Q(('black_box_share__gte', 0), ('black_box_share__lte', 1)), name='release_black_box_share'), models.CheckConstraint(condition=models.Q(('state__in', ['building', 'built', 'published', 'yanked', 'failed'])), name='release_state_known'), models.CheckConstraint(condition=models.Q(('hidden_part__in', ['closed', 'withheld'])), name='release_hidden_part_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'yanked'), _negated=True), models.Q(('yank_reason', ''), _negated=True), _connector='OR'), name='release_yank_reason')],
            },
        ),
        migrations.CreateModel(
            name='HubPublication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('repository', models.CharField(max_length=200)),
                ('commit', models.CharField(max_length=64)),
                ('published_at', models.DateTimeField()),
                ('published_by', models.CharField(blank=True, max_length=254)),
                ('release', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='hub_publications', to='releases.release')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'repository'), name='hubpublication_one_commit')],
            },
        ),
        migrations.CreateModel(
            name='Artifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=300)),
                ('media_type', models.CharField(max_length=100)),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField()),
                ('row_count', models.PositiveIntegerField(null=True)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='artifacts', to='releases.release')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'name'), name='artifact_one_name')],
            },
        ),
        migrations.CreateModel(
            name='ReleaseDetails',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(blank=True, max_length=200)),
                ('authors', models.TextField(blank=True)),
                ('doi', models.CharField(blank=True, max_length=200)),
                ('url', models.URLField(blank=True, max_length=500)),
                ('licence', models.CharField(blank=True, max_length=100)),
                ('prose', models.JSONField(default=dict)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
        ),
        migrations.CreateModel(
            name='ReleaseSecret',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.CharField(max_length=64)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
        ),
        migrations.CreateModel(
            name='ReleaseSubject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=200)),
                ('category', models.CharField(blank=True, max_length=100)),
                ('dimension', models.CharField(blank=True, max_length=100)),
                ('level', models.CharField(blank=True, max_length=100)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subjects', to='releases.release')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'slug'), name='releasesubject_one_slug')],
            },
        ),
        migrations.CreateModel(
            name='ReleaseItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.CharField(max_length=200)),
                ('public_id', models.CharField(max_length=200)),
                ('key', models.CharField(max_length=40)),
                ('kind', models.CharField(choices=[('choice', 'multiple choice'), ('number', 'number'), ('open', 'open-ended'), ('translation', 'translation')], db_default='choice', default='choice', max_length=11)),
                ('item_key', models.CharField(blank=True, db_default='', max_length=40)),
                ('option_order', models.CharField(blank=True, db_default='', max_length=10)),
                ('level', models.CharField(blank=True, max_length=100)),
                ('year', models.CharField(blank=True, max_length=20)),
                ('explanation', models.TextField(blank=True)),
                ('source_question', models.TextField(blank=True)),
                ('source_options', models.JSONField(default=list)),
                ('source_answer', models.TextField(blank=True, db_default='', default='')),
                ('provenance', models.TextField(default='{}')),
                ('split', models.CharField(choices=[('test', 'test'), ('dev', 'dev')], max_length=4)),
                ('subset', models.CharField(choices=[('open', 'open'), ('black-box', 'black box')], max_length=9)),
                ('position', models.PositiveIntegerField()),
                ('item', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='release_items', to='annotation.item')),
                ('release', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='releases.release')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='release_items', to='annotation.revision')),
                ('subject', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='releases.releasesubject')),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'split', 'position'], name='releaseitem_order')],
                'constraints': [models.UniqueConstraint(fields=('item', 'release'), name='releaseitem_once'), models.UniqueConstraint(fields=('release', 'position'), name='releaseitem_one_position'), models.UniqueConstraint(fields=('release', 'public_id'), name='releaseitem_one_public_id'), models.CheckConstraint(condition=models.Q(('split', 'dev'), ('subset', 'black-box'), _negated=True), name='releaseitem_dev_is_open'), models.CheckConstraint(condition=models.Q(('split__in', ['test', 'dev']), ('subset__in', ['open', 'black-box'])), name='releaseitem_place_known')],
            },
        ),
        migrations.CreateModel(
            name='ProblemReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('wrong_key', 'the key is wrong'), ('translation', 'the translation is wrong'), ('broken', 'the item is broken'), ('offensive', 'the item is offensive'), ('other', 'something else')], max_length=12)),
                ('text', models.TextField()),
                ('contact', models.EmailField(blank=True, max_length=254)),
                ('network', models.CharField(max_length=64)),
                ('reported_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'accepted'), ('dismissed', 'dismissed')], default='open', max_length=9)),
                ('decision', models.TextField(blank=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('mended_in', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='releases.release')),
                ('release', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='problems', to='releases.release')),
                ('placed', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='problems', to='releases.releaseitem')),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'state'], name='problemreport_state'), models.Index(fields=['network', 'reported_at'], name='problemreport_network'), models.Index(fields=['reported_at'], name='problemreport_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['wrong_key', 'translation', 'broken', 'offensive', 'other']), ('state__in', ['open', 'accepted', 'dismissed'])), name='problemreport_kind_and_state_known'), models.CheckConstraint(condition=models.Q(('state', 'open'), models.Q(('decided_at__isnull', False), models.Q(('decision', ''), _negated=True)), _connector='OR'), name='problemreport_decision_given')],
            },
        ),
        migrations.CreateModel(
            name='Waiver',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=40)),
                ('reason', models.TextField()),
                ('problems', models.JSONField(default=list)),
                ('uids', models.JSONField(default=list)),
                ('role', models.CharField(blank=True, max_length=10)),
                ('waived_at', models.DateTimeField()),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='waivers', to='releases.release')),
                ('waived_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'code'), name='waiver_one_code'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='waiver_reason')],
            },
        ),
    ]
