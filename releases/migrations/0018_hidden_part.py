"""Say of each release whether the texts of its hidden items are public; those of earlier ones are closed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("releases", "0017_let_the_subject_hold_the_release")]

    operations = [
        migrations.AddField(
            model_name="release",
            name="hidden_part",
            field=models.CharField(
                choices=[
                    ("closed", "closed: neither texts nor keys"),
                    ("withheld", "answers withheld: texts, but no keys"),
                ],
                db_default="closed",
                default="closed",
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(("hidden_part__in", ["closed", "withheld"])),
                name="release_hidden_part_known",
            ),
        ),
    ]
