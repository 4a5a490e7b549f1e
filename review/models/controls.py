"""Control items: known-good items that a round shows as they are or with a planted fault."""

from django.db import models
from django.db.models import Q

from review.enums import FaultKind
from review.models.panels import Panel


class Control(models.Model):
    """What a control item shows instead of the text of its panel's revision.

    `fault` names what was planted into `field` ("question", "options.0" …); both are empty where
    the text is shown as it is.
    """

    panel = models.OneToOneField(
        Panel, primary_key=True, on_delete=models.PROTECT, related_name="control"
    )
    fault = models.CharField(max_length=20, choices=FaultKind, blank=True)
    field = models.CharField(max_length=20, blank=True)
    question = models.TextField(blank=True)
    options = models.JSONField(default=list)
    answer = models.TextField(blank=True, default="", db_default="")
    explanation = models.TextField(blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(fault="", field="") | (~Q(fault="") & ~Q(field="")),
                name="control_fault_fits",
            )
        ]

    def __str__(self) -> str:
        return f"control of {self.panel}"
