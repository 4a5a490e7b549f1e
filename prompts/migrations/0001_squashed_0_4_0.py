"""The tables of 0.4.0, in place of the migrations that led there."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('prompts', '0001_prompt_templates'), ('prompts', '0002_translation_jobs'), ('prompts', '0003_runs_asked_elsewhere'), ('prompts', '0004_screening_jobs'), ('prompts', '0005_how_a_prompt_asks'), ('prompts', '0006_making_jobs')]

    initial = True

    dependencies = [
        ('projects', '0001_squashed_0_4_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='PromptTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('revision', models.PositiveSmallIntegerField(default=1)),
                ('purpose', models.CharField(choices=[('ask', 'answer'), ('translate', 'translate'), ('screen', 'screen'), ('make', 'make items'), ('elsewhere', 'asked by another program')], db_default='ask', default='ask', max_length=9)),
                ('language', models.CharField(max_length=20)),
                ('style', models.CharField(choices=[('direct', 'direct answer'), ('chain-of-thought', 'chain of thought')], default='direct', max_length=20)),
                ('system', models.TextField(blank=True)),
                ('frame', models.TextField()),
                ('layout', models.CharField(choices=[('turns', 'earlier turns of the conversation'), ('text', 'one text with the question')], db_default='turns', default='turns', max_length=5)),
                ('labels', models.CharField(choices=[('latin', 'A, B, C, D'), ('script', 'letters of the language'), ('numbers', '1, 2, 3, 4')], db_default='latin', default='latin', max_length=7)),
                ('option_line', models.CharField(db_default='{letter}. {option}', default='{letter}. {option}', max_length=100)),
                ('shot_frame', models.TextField(blank=True, db_default='', default='')),
                ('shot_seed', models.PositiveIntegerField(null=True)),
                ('prefill', models.TextField(blank=True, db_default='', default='')),
                ('number_system', models.TextField(blank=True, db_default='', default='')),
                ('number_frame', models.TextField(blank=True, db_default='', default='')),
                ('created_at', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='prompt_templates', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'name', 'revision'), name='prompttemplate_one_revision')],
            },
        ),
    ]
