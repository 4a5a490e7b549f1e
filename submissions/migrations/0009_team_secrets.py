"""Give each team that there is a secret of its own; the field gave all of them the same."""

from django.db import migrations

from submissions.marks import new_secret


def draw_secrets(apps, schema_editor):
    teams = apps.get_model("submissions", "Team").objects
    for pk in teams.order_by("pk").values_list("pk", flat=True):
        teams.filter(pk=pk).update(mark_secret=new_secret())


class Migration(migrations.Migration):

    dependencies = [("submissions", "0008_team_marks")]

    operations = [migrations.RunPython(draw_secrets, migrations.RunPython.noop)]
