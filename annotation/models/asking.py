"""What all jobs have that ask models about items: the model, the selection, the budget."""

from decimal import Decimal
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from endpoints.models import ModelSpec
from jobs.models import Job

MAX_CONCURRENCY = 64


class AskingJob(models.Model):
    """One job: which model is asked about the items of a project, and what it may cost.

    `selection` is the filter that chose the items. `budget` and prices are in US dollars.
    """

    project: models.ForeignKey[Any, Any]
    model_spec = models.ForeignKey(ModelSpec, on_delete=models.PROTECT, related_name="+")
    concurrency = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(MAX_CONCURRENCY)]
    )
    selection = models.JSONField(default=dict)
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    started_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(budget__isnull=True) | Q(budget__gt=Decimal(0)),
                name="%(class)s_budget",
            ),
        ]

    @property
    def specs(self) -> list[ModelSpec]:
        """The models that see the items."""
        return [self.model_spec]
