"""Name the tables of model specs and prompt templates after the apps that own them from now on."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial")]

    operations = [
        migrations.AlterModelTable("modelspec", "endpoints_modelspec"),
        migrations.AlterModelTable("prompttemplate", "prompts_prompttemplate"),
    ]
