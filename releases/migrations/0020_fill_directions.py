from typing import Any

from django.db import migrations

from scoring.directions import read_direction

BATCH = 1_000


def fill_directions(apps: Any, _schema_editor: Any) -> None:
    """No edit could change what earlier releases read of the item and its project."""
    items = apps.get_model("releases", "ReleaseItem").objects
    rows = items.filter(kind="translation").select_related("item", "release__project")
    changed = []
    for row in rows.order_by("pk").iterator(chunk_size=BATCH):
        project = row.release.project
        row.source_language, row.target_language = read_direction(
            str(row.item.metadata.get("direction", "")),
            source=project.source_language,
            target=project.target_language,
        )
        changed.append(row)
    items.bulk_update(changed, ["source_language", "target_language"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [("releases", "0019_direction")]

    operations = [migrations.RunPython(fill_directions, migrations.RunPython.noop)]
