from django.db import migrations
from django.db.models import Case, OuterRef, Subquery, Value, When


def fill_groups(apps, _schema_editor):
    """Each panel repeats its item's subject and split, and its translation's system."""
    item = apps.get_model("annotation", "Item").objects.filter(pk=OuterRef("item"))
    revision = apps.get_model("annotation", "Revision").objects.filter(pk=OuterRef("revision"))
    is_dev = Case(When(split="dev", then=Value(True)), default=Value(False))
    apps.get_model("review", "Panel").objects.update(
        subject=Subquery(item.values("subject")),
        system=Subquery(revision.values("translation__system")),
        is_dev=Subquery(item.annotate(is_dev=is_dev).values("is_dev")),
    )


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0014_search_every_text"),
        ("review", "0022_groups_of_panels"),
    ]

    operations = [migrations.RunPython(fill_groups, migrations.RunPython.noop)]
