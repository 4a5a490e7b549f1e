from django.db import migrations


def mark(apps, schema_editor):
    """Until now only the address told a simulated reviewer."""
    users = apps.get_model("accounts", "User").objects.filter(
        email__startswith="reviewer-", email__endswith=".simulated.example"
    )
    users.update(is_simulated=True)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_simulated_accounts")]
    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
