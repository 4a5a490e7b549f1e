from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_digests")]
    operations = [
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["scope", "target"], name="auditevent_target"),
        )
    ]
