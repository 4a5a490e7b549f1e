"""Control items of open rounds go on showing the answers and explanations of their texts."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    panels = apps.get_model("review", "Panel")._base_manager.filter(pk=OuterRef("panel"))
    apps.get_model("review", "Control").objects.update(
        **{name: Subquery(panels.values(f"revision__{name}")) for name in ("answer", "explanation")}
    )


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0020_further_texts_of_controls"),
        ("annotation", "0013_kinds_of_item"),
    ]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
