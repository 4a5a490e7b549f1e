import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0003_take_back_and_work_ahead'),
    ]

    operations = [
        migrations.CreateModel(
            name='RoundChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uids', models.JSONField(default=list)),
                ('item_filter', models.JSONField(default=dict)),
                ('since_round', models.PositiveSmallIntegerField(null=True)),
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='choice', to='review.round')),
            ],
        ),
        migrations.AlterField(
            model_name='round',
            name='selection',
            field=models.CharField(choices=[('not-approved', 'items not yet approved'), ('approved', 'approved items (an audit)'), ('changed', 'items whose text changed since a round'), ('findings', 'items with open errors or warnings'), ('filter', 'items that a filter shows'), ('list', 'a list of items'), ('all', 'all items'), ('sample', 'a sample of items not yet approved')], max_length=12),
        ),
    ]
