from typing import Any

from django.db import migrations
from django.db.models import F


def fill_item_keys(apps: Any, _schema_editor: Any) -> None:
    """Releases so far kept the order of options, so that both keys are the same letter."""
    apps.get_model("releases", "ReleaseItem").objects.filter(item_key="").update(item_key=F("key"))


class Migration(migrations.Migration):
    dependencies = [("releases", "0012_option_order")]

    operations = [migrations.RunPython(fill_item_keys, migrations.RunPython.noop)]
