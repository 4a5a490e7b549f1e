from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_work_offer'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='outgoingemail',
            name='outgoingemail_kind_known',
        ),
        migrations.AddField(
            model_name='user',
            name='digest',
            field=models.CharField(choices=[('off', 'never'), ('daily', 'once a day'), ('weekly', 'once a week')], db_default='daily', default='daily', max_length=6),
        ),
        migrations.AddField(
            model_name='user',
            name='unread_count',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='outgoingemail',
            name='kind',
            field=models.CharField(choices=[('invitation', 'invitation'), ('password_reset', 'link for a new password'), ('digest', 'digest of notifications')], max_length=14),
        ),
        migrations.AddConstraint(
            model_name='outgoingemail',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['invitation', 'password_reset', 'digest'])), name='outgoingemail_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('digest__in', ['off', 'daily', 'weekly'])), name='user_digest_known'),
        ),
    ]
