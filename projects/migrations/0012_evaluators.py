"""Evaluators, who start runs and read their figures."""

from django.db import migrations, models

ROLES = ['manager', 'senior', 'reviewer', 'viewer', 'evaluator']


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0011_contributors'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='membership', name='membership_role_known'),
        migrations.AlterField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[(role, role) for role in ROLES], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.CheckConstraint(
                condition=models.Q(('role__in', ROLES)), name='membership_role_known'
            ),
        ),
    ]
