"""Say for the answers that are stored whether they are more than reasoning and blanks."""

from django.db import migrations

from evaluation.contents import said_in

BATCH = 500


def fill(apps, schema_editor):
    alias = schema_editor.connection.alias
    responses = apps.get_model("evaluation", "ModelResponse").objects.using(alias)
    rows = responses.filter(state="answered", says="").order_by("pk")
    last = 0
    while some := list(rows.filter(pk__gt=last).only("text", "reasoning")[:BATCH]):
        for response in some:
            response.says = said_in(response.text, response.reasoning)
        responses.bulk_update(some, ["says"])
        last = some[-1].pk


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0016_contents_of_answers")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
