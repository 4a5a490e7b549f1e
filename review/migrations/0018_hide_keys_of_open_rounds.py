from django.db import migrations


def hide_keys(apps, _schema_editor):
    """Whom an open solving round asks does not see the keys of its project."""
    for round_ in apps.get_model("review", "Round").objects.filter(kind="solving", state="open"):
        round_.project.solving_audience = round_.audience
        round_.project.save(update_fields=["solving_audience"])


class Migration(migrations.Migration):

    dependencies = [
        ("review", "0017_longer_tallies"),
        ("projects", "0010_solving_audience"),
    ]

    operations = [migrations.RunPython(hide_keys, migrations.RunPython.noop)]
