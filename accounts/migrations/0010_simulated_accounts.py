from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0009_submission_email")]
    operations = [
        migrations.AddField(
            model_name="user",
            name="is_simulated",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
