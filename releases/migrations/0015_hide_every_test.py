from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('releases', '0014_dev_from'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='release',
            name='release_black_box_share',
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('black_box_share__gte', 0), ('black_box_share__lte', 1)), name='release_black_box_share'),
        ),
    ]
