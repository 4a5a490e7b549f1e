"""Give exclusions and restorations of items that the audit log tells of their rows."""

from django.db import migrations

STATES = {"item.excluded": "excluded", "item.restored": "active"}
AT_ONCE = 1000


def copy(apps, schema_editor):
    events = apps.get_model("accounts", "AuditEvent").objects.filter(verb__in=STATES)
    change = apps.get_model("annotation", "ItemStateChange")
    items = set(apps.get_model("annotation", "Item")._base_manager.values_list("pk", flat=True))
    rows = [
        change(
            item_id=pk,
            state=STATES[verb],
            reason=data.get("reason", ""),
            author_id=actor,
            created_at=occurred_at,
        )
        for verb, target, data, actor, occurred_at in events.order_by("pk").values_list(
            "verb", "target", "data", "actor", "occurred_at"
        )
        if (pk := int(target.removeprefix("item:"))) in items
    ]
    change.objects.bulk_create(rows, batch_size=AT_ONCE)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0009_item_history"),
        ("accounts", "0001_initial"),
    ]
    operations = [migrations.RunPython(copy, migrations.RunPython.noop)]
