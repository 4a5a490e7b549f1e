"""Call imported arenas with several baselines what they are: all against all."""

from django.db import migrations

BASELINE, BALANCED = "baseline", "balanced"


def correct_plans(apps, schema_editor):
    arenas = apps.get_model("arena", "Arena").objects.filter(is_imported=True, plan=BASELINE)
    arenas.exclude(contestants__is_baseline=True).update(plan=BALANCED)


class Migration(migrations.Migration):
    dependencies = [("arena", "0002_left_out_judges_and_hidden_arenas")]
    operations = [migrations.RunPython(correct_plans, migrations.RunPython.noop)]
