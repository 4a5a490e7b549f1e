"""One seat a slot, behind the other indexes: of two that serve a query alike, SQLite takes the newer one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("review", "0003_take_back_and_work_ahead")]
    dependencies = [("review", "0001_squashed_0_4_0")]
    operations = [
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'claimed')), fields=('round', 'reviewer', 'slot'), name='assignment_one_a_slot'),
        ),
    ]
