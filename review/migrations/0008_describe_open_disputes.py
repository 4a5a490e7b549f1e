"""Fill what the queue of disputes is sorted and filtered by, and point to the decision in force."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


BATCH = 1000


def describe(apps, schema_editor):
    panel_model = apps.get_model("review", "Panel")
    adjudication_model = apps.get_model("review", "Adjudication")
    rows = panel_model.objects.filter(outcome="disputed").select_related("item").order_by("pk")
    changed = []
    for panel in rows.only("pk", "reasons", "item__uid_order").iterator(BATCH):
        panel.reason_codes = " ".join(sorted({reason["code"] for reason in panel.reasons}))
        panel.uid_key = panel.item.uid_order
        changed.append(panel)
    panel_model.objects.bulk_update(changed, ["reason_codes", "uid_key"], batch_size=BATCH)
    decisions = adjudication_model.objects.filter(panel=OuterRef("pk")).values("pk")
    panel_model.objects.filter(outcome="disputed", state="settled").update(
        adjudication=Subquery(decisions[:1])
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_fill_natural_order"),
        ("review", "0007_dispute_queue_and_rulings"),
    ]

    operations = [migrations.RunPython(describe, migrations.RunPython.noop, elidable=True)]
