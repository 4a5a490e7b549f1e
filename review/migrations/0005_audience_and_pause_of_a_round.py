from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0004_choice_of_a_round'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='audience',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='round',
            name='paused_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='round',
            name='pause_reason',
            field=models.CharField(blank=True, max_length=500),
        ),
    ]
