import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0001_initial'),
        ('projects', '0001_initial'),
        ('review', '0008_describe_open_disputes'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='purpose',
            field=models.CharField(choices=[('initial', 'first judgement of items'), ('alignment', 'judgement of changed texts'), ('audit', 'second judgement of approved texts')], default='initial', max_length=9),
        ),
        migrations.AddField(
            model_name='round',
            name='stage',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.CreateModel(
            name='RoundTables',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content', models.JSONField()),
                ('frozen_at', models.DateTimeField()),
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='review.round')),
            ],
        ),
        migrations.CreateModel(
            name='ReliabilityEstimate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('as_of', models.PositiveSmallIntegerField()),
                ('content', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.job')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reliability_estimates', to='projects.project')),
            ],
            options={
                'indexes': [models.Index(fields=['project', '-id'], name='reliability_latest')],
            },
        ),
    ]
