from django.db import migrations
from django.db.models import Max


def begin_now(apps, schema_editor):
    """What happened before there were notifications is not told."""
    last = apps.get_model("accounts", "AuditEvent").objects.aggregate(last=Max("pk"))["last"]
    apps.get_model("notifications", "Cursor").objects.create(pk=1, event=last or 0)


class Migration(migrations.Migration):

    dependencies = [
        ("notifications", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(begin_now, migrations.RunPython.noop),
    ]
