"""The text has moved to the flags."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("submissions", "0006_findings_of_before")]
    operations = [migrations.RemoveField(model_name="submission", name="flag")]
