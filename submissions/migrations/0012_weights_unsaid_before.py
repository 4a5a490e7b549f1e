"""Until now nobody could say that weights are closed: a box that was not ticked said nothing."""

from django.db import migrations


def forget_unticked(apps, schema_editor):
    rows = apps.get_model("submissions", "Submission").objects
    rows.filter(has_open_weights=False).update(has_open_weights=None)


def untick(apps, schema_editor):
    rows = apps.get_model("submissions", "Submission").objects
    rows.filter(has_open_weights=None).update(has_open_weights=False)


class Migration(migrations.Migration):
    dependencies = [("submissions", "0011_weights_unsaid")]
    operations = [migrations.RunPython(forget_unticked, untick)]
