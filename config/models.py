"""The one table that belongs to no app."""

from django.db import models


class WriteProbe(models.Model):
    """One row that a health check changes to learn whether the database can be written to."""

    turn = models.BigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="writeprobe_one_row")]

    def __str__(self) -> str:
        return str(self.turn)
