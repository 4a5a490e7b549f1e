"""Store for every item what to sort its uid by, as imports do from now on."""

import re

from django.db import migrations

AT_ONCE = 1000
_NUMBER = re.compile(r"[0-9]{1,99}")


def fill(apps, schema_editor):
    items = apps.get_model("annotation", "Item")._base_manager.order_by("pk").values_list("pk", "uid")
    last = 0
    with schema_editor.connection.cursor() as cursor:
        while rows := list(items.filter(pk__gt=last)[:AT_ONCE]):
            cursor.executemany(
                "UPDATE annotation_item SET uid_order = %s WHERE id = %s",
                [(_NUMBER.sub(_counted, uid), pk) for pk, uid in rows],
            )
            last = rows[-1][0]


def _counted(found):
    digits = found[0].lstrip("0") or "0"
    zeros = len(found[0]) - len(digits)
    return f"{len(digits):02}{digits}" + (f"{zeros:02}" if zeros else "")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_natural_order")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
