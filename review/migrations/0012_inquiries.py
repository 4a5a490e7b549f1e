"""Second looks, further seats, passages from rulings, and the orders of the queue of disputes."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0011_control_items'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Inquiry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('second_look', 'second look'), ('further_seat', 'one more judgement')], max_length=12)),
                ('state', models.CharField(choices=[('open', 'open'), ('answered', 'answered'), ('taken_back', 'taken back'), ('ended', 'ended without an answer')], default='open', max_length=10)),
                ('asked_at', models.DateTimeField()),
                ('note', models.TextField(blank=True)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Passage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('proposed_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='adjudication',
            name='idempotency_key',
            field=models.CharField(blank=True, db_default='', max_length=100),
        ),
        migrations.AddField(
            model_name='round',
            name='added_seat_count',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='round',
            name='uncertain_seats',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, validators=[django.core.validators.MaxValueValidator(3)]),
        ),
        migrations.AddIndex(
            model_name='panel',
            index=models.Index(condition=models.Q(('state', 'disputed')), fields=['-severity', 'id', 'round'], name='panel_by_severity'),
        ),
        migrations.AddIndex(
            model_name='panel',
            index=models.Index(condition=models.Q(('state', 'disputed')), fields=['decided_at', 'id', 'round'], name='panel_by_decided_at'),
        ),
        migrations.AddIndex(
            model_name='panel',
            index=models.Index(condition=models.Q(('state', 'disputed')), fields=['uid_key', 'id', 'round'], name='panel_by_uid_key'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.UniqueConstraint(condition=models.Q(('idempotency_key', ''), _negated=True), fields=('senior', 'idempotency_key'), name='adjudication_one_key'),
        ),
        migrations.AddField(
            model_name='inquiry',
            name='answer',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answered_inquiry', to='review.judgement'),
        ),
        migrations.AddField(
            model_name='inquiry',
            name='asked_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='inquiry',
            name='judgement',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='second_looks', to='review.judgement'),
        ),
        migrations.AddField(
            model_name='inquiry',
            name='panel',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='inquiries', to='review.panel'),
        ),
        migrations.AddField(
            model_name='inquiry',
            name='reviewer',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='second_looks', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='inquiry',
            name='seat',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='inquiry', to='review.assignment'),
        ),
        migrations.AddField(
            model_name='passage',
            name='adjudication',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='passages', to='review.adjudication'),
        ),
        migrations.AddField(
            model_name='passage',
            name='decided_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='passage',
            name='guideline',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='passage', to='review.guideline'),
        ),
        migrations.AddField(
            model_name='passage',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='inquiry',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['reviewer'], name='inquiry_asked'),
        ),
        migrations.AddConstraint(
            model_name='inquiry',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('panel',), name='inquiry_one_open'),
        ),
        migrations.AddConstraint(
            model_name='inquiry',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'answered')), fields=('judgement',), name='inquiry_one_answer'),
        ),
        migrations.AddConstraint(
            model_name='inquiry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('judgement__isnull', False), ('kind', 'second_look'), ('reviewer__isnull', False), ('seat__isnull', True), models.Q(('note', ''), _negated=True)), models.Q(('judgement__isnull', True), ('kind', 'further_seat'), ('reviewer__isnull', True), ('seat__isnull', False)), _connector='OR'), name='inquiry_kind_fits'),
        ),
        migrations.AddConstraint(
            model_name='inquiry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('answer__isnull', True), ('ended_at__isnull', True), ('state', 'open')), models.Q(('answer__isnull', False), ('ended_at__isnull', False), ('state', 'answered')), models.Q(('answer__isnull', True), ('ended_at__isnull', False), ('state__in', ['taken_back', 'ended'])), _connector='OR'), name='inquiry_answer_fits'),
        ),
        migrations.AddConstraint(
            model_name='passage',
            constraint=models.UniqueConstraint(condition=models.Q(('decided_at__isnull', True)), fields=('adjudication',), name='passage_one_open'),
        ),
        migrations.AddConstraint(
            model_name='passage',
            constraint=models.CheckConstraint(condition=models.Q(('guideline__isnull', True), ('decided_at__isnull', False), _connector='OR'), name='passage_decision_fits'),
        ),
    ]
