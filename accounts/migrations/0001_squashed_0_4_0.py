"""The tables of 0.4.0, in place of the migrations that led there."""

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('accounts', '0001_initial'), ('accounts', '0002_sign_in_history'), ('accounts', '0003_outgoing_email'), ('accounts', '0004_news'), ('accounts', '0005_work_offer'), ('accounts', '0006_digests'), ('accounts', '0007_auditevent_target'), ('accounts', '0008_email_due_at'), ('accounts', '0009_submission_email'), ('accounts', '0010_simulated_accounts'), ('accounts', '0011_mark_simulated_accounts')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('language', models.CharField(blank=True, max_length=20, verbose_name='language')),
                ('is_active', models.BooleanField(default=True)),
                ('is_staff', models.BooleanField(default=False)),
                ('is_simulated', models.BooleanField(db_default=False, default=False)),
                ('date_joined', models.DateTimeField()),
                ('session_generation', models.PositiveIntegerField(default=0)),
                ('news_seen_at', models.DateTimeField(blank=True, null=True)),
                ('unread_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('digest', models.CharField(choices=[('off', 'never'), ('daily', 'once a day'), ('weekly', 'once a week')], db_default='daily', default='daily', max_length=6)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_one'), models.CheckConstraint(condition=models.Q(('digest__in', ['off', 'daily', 'weekly'])), name='user_digest_known')],
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('actor_name', models.CharField(max_length=254)),
                ('verb', models.CharField(max_length=60)),
                ('target', models.CharField(max_length=100)),
                ('scope', models.CharField(blank=True, max_length=100)),
                ('data', models.JSONField(default=dict)),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('occurred_at', models.DateTimeField()),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['scope', '-id'], name='auditevent_scope'), models.Index(fields=['scope', 'target'], name='auditevent_target')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nonce', models.CharField(blank=True, max_length=43)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(null=True)),
                ('offer', models.JSONField(default=dict)),
                ('invited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='OutgoingEmail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('kind', models.CharField(choices=[('invitation', 'invitation'), ('password_reset', 'link for a new password'), ('digest', 'digest of notifications'), ('submission', 'result of a submission')], max_length=14)),
                ('data', models.JSONField()),
                ('language', models.CharField(max_length=20)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['due_at'], name='outgoingemail_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['invitation', 'password_reset', 'digest', 'submission'])), name='outgoingemail_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='SignInAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(blank=True, max_length=45)),
                ('network', models.CharField(blank=True, max_length=49)),
                ('outcome', models.CharField(choices=[('signed_in', 'signed in'), ('wrong_password', 'wrong e-mail address or password'), ('locked', 'refused: too many attempts'), ('deactivated', 'refused: account deactivated'), ('reset_asked', 'asked for a new password')], max_length=14)),
                ('occurred_at', models.DateTimeField(db_index=True)),
                ('user', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sign_in_attempts', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='signin_of_person'), models.Index(fields=['network', '-occurred_at'], name='signin_from_network')],
                'constraints': [models.CheckConstraint(condition=models.Q(('outcome__in', ['signed_in', 'wrong_password', 'locked', 'deactivated', 'reset_asked'])), name='signin_outcome_known')],
            },
        ),
    ]
