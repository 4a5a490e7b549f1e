"""Let the content types of the moved models, and so their permissions, name the new apps."""

from django.db import migrations

MOVED = {"modelspec": "endpoints", "prompttemplate": "prompts"}


def move(apps, schema_editor):
    for model, app in MOVED.items():
        _move(apps, schema_editor, model, "evaluation", app)


def move_back(apps, schema_editor):
    for model, app in MOVED.items():
        _move(apps, schema_editor, model, app, "evaluation")


def _move(apps, schema_editor, model, old, new):
    rows = apps.get_model("contenttypes", "ContentType").objects.using(schema_editor.connection.alias)
    if not rows.filter(app_label=new, model=model).exists():
        rows.filter(app_label=old, model=model).update(app_label=new)


class Migration(migrations.Migration):
    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        ("evaluation", "0003_models_and_prompts_moved"),
    ]

    operations = [migrations.RunPython(move, move_back)]
