"""Keep what endpoints sent apart from the errors that everybody may read."""

from django.db import migrations

STOPS = ("endpoint_failing", "endpoint_asks_to_wait")
BATCH = 500


def divide(apps, schema_editor):
    alias = schema_editor.connection.alias
    _divide_responses(apps.get_model("evaluation", "ModelResponse").objects.using(alias))
    jobs = apps.get_model("jobs", "Job").objects.using(alias)
    for job in jobs.filter(kind="run", error_code__in=STOPS).iterator():
        if "error" not in job.error_data:
            job.error_data = _new_data(job.error_data)
            job.save(update_fields=["error_data"])


def _divide_responses(responses):
    failed = responses.filter(state="failed").only("pk", "error").order_by("pk")
    for response in failed.iterator(chunk_size=BATCH):
        code, _colon, rest = response.error.partition(": ")
        status, _space, said = rest.partition(" ")
        if status.isdecimal():
            responses.filter(pk=response.pk).update(error=f"{code}: {status}", body=said)


def _new_data(data):
    status = data.get("status")
    error = f"{data.get('fault', '')}: {status}" if status else str(data.get("fault", ""))
    return {"error": error, "said": ""}


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0005_what_the_endpoint_sent"),
        ("jobs", "0002_waiting_since"),
    ]

    operations = [migrations.RunPython(divide, migrations.RunPython.noop)]
