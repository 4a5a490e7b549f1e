from django.db import migrations
from django.db.models import F


def keep_what_was_published(apps, _schema_editor):
    """Releases that exist published the uids, and nothing in a release changes afterwards."""
    apps.get_model("releases", "ReleaseItem").objects.filter(public_id="").update(
        public_id=F("uid")
    )


class Migration(migrations.Migration):
    dependencies = [("releases", "0004_hidden_ids")]

    operations = [migrations.RunPython(keep_what_was_published, migrations.RunPython.noop)]
