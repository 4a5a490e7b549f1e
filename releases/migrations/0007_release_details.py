import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0001_initial'),
        ('releases', '0006_one_public_id'),
    ]

    operations = [
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
    ]
