from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_outgoing_email'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='news_seen_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
