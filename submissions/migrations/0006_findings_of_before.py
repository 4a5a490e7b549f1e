"""Keep the texts that stood as flags."""

from django.db import migrations


def keep_texts(apps, schema_editor):
    submissions = apps.get_model("submissions", "Submission").objects.exclude(flag="")
    flags = apps.get_model("submissions", "SubmissionFlag").objects
    for row in submissions.only("flag", "sent_at", "ended_at").order_by("pk").iterator():
        values = {"params": {"text": row.flag}, "flagged_at": row.ended_at or row.sent_at}
        flags.create(submission=row, code="other", **values)


def put_texts_back(apps, schema_editor):
    """The earlier version has one text; flags with other codes are named by these."""
    submissions = apps.get_model("submissions", "Submission").objects
    found = {}
    for flag in apps.get_model("submissions", "SubmissionFlag").objects.order_by("pk"):
        found.setdefault(flag.submission_id, []).append(flag.params.get("text", flag.code))
    for pk, texts in found.items():
        submissions.filter(pk=pk).update(flag=" ".join(texts))


class Migration(migrations.Migration):
    dependencies = [("submissions", "0005_findings")]
    operations = [migrations.RunPython(keep_texts, put_texts_back)]
