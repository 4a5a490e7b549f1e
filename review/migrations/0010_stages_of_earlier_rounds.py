"""Name the stages of the rounds that are there: one in which most items had been judged before
is an alignment, the others begin with items that nobody had judged."""

from django.db import migrations


def name_stages(apps, schema_editor):
    Round, Panel = apps.get_model("review", "Round"), apps.get_model("review", "Panel")
    stages = {}
    for round_ in Round.objects.filter(judged_count__gt=0).order_by("project_id", "number"):
        before = stages.setdefault(round_.project_id, [])
        decided = Panel.objects.filter(round__in=before).exclude(outcome="").values("item")
        again = Panel.objects.filter(round=round_, item__in=decided).count()
        if 2 * again > round_.panel_count:
            stage = 1 + max(each.stage for each in before)
            Round.objects.filter(pk=round_.pk).update(purpose="alignment", stage=stage)
            round_.stage = stage
        before.append(round_)


class Migration(migrations.Migration):

    dependencies = [('review', '0009_tables_of_rounds')]

    operations = [migrations.RunPython(name_stages, migrations.RunPython.noop)]
