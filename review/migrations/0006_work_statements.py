import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0004_pay_rates'),
        ('review', '0005_audience_and_pause_of_a_round'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='expiredclaim',
            name='claimed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='skip',
            name='claimed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='WorkStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField()),
                ('closed_at', models.DateTimeField()),
                ('closed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='work_statements', to='projects.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'month'), name='workstatement_one_month')],
            },
        ),
        migrations.CreateModel(
            name='WorkStatementLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150)),
                ('email', models.EmailField(max_length=254)),
                ('judgements', models.PositiveIntegerField()),
                ('late_judgements', models.PositiveIntegerField()),
                ('active_seconds', models.PositiveBigIntegerField()),
                ('hourly', models.DecimalField(decimal_places=2, max_digits=12, null=True)),
                ('currency', models.CharField(blank=True, max_length=3)),
                ('amount', models.DecimalField(decimal_places=2, max_digits=14, null=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='work_statement_lines', to=settings.AUTH_USER_MODEL)),
                ('statement', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='review.workstatement')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('statement', 'person'), name='workstatementline_one_person'), models.CheckConstraint(condition=models.Q(models.Q(('amount__isnull', True), ('currency', ''), ('hourly__isnull', True)), models.Q(('amount__isnull', False), ('hourly__isnull', False), models.Q(('currency', ''), _negated=True)), _connector='OR'), name='workstatementline_paid_or_not')],
            },
        ),
        migrations.CreateModel(
            name='StatedJudgement',
            fields=[
                ('judgement', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='stated', serialize=False, to='review.judgement')),
                ('statement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stated', to='review.workstatement')),
            ],
        ),
    ]
