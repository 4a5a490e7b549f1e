from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_auditevent_target")]
    operations = [
        migrations.RenameField(
            model_name="outgoingemail", old_name="send_after", new_name="due_at"
        ),
        migrations.AlterField(
            model_name="outgoingemail", name="due_at", field=models.DateTimeField()
        ),
        migrations.AddIndex(
            model_name="outgoingemail",
            index=models.Index(fields=["due_at"], name="outgoingemail_due"),
        ),
    ]
