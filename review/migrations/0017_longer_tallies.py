from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0016_kinds_of_round")]
    operations = [
        migrations.AlterField(
            model_name="panel",
            name="tally",
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AlterField(
            model_name="round",
            name="score_gap",
            field=models.PositiveSmallIntegerField(
                default=2, validators=[MinValueValidator(1), MaxValueValidator(9)]
            ),
        ),
    ]
