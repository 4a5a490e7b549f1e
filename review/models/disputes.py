"""What seniors decided, who may decide in their place, and who is looking."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Revision
from review.enums import DecisionKind
from review.models.judgements import Judgement
from review.models.panels import Panel


class Adjudication(models.Model):
    """A senior's decision on a dispute; `resulting_revision` is the text that it made, if any.

    The one in force is the panel's; the others were withdrawn. `citation` is the passage of the
    round's guideline that the decision follows. `numbers_confirmed` says that the text changes
    numbers or formulas against the source, and that the senior, or the reviewers whose text it is,
    meant to.
    """

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="adjudications")
    senior = models.ForeignKey(User, on_delete=models.PROTECT, related_name="adjudications")
    decision = models.CharField(max_length=8, choices=DecisionKind)
    adopted = models.ForeignKey(
        Judgement, null=True, on_delete=models.PROTECT, related_name="adoptions"
    )
    resulting_revision = models.OneToOneField(
        Revision, null=True, on_delete=models.PROTECT, related_name="adjudication"
    )
    reason = models.TextField(blank=True)
    citation = models.CharField(max_length=500, blank=True, db_default="")
    numbers_confirmed = models.BooleanField(default=False, db_default=False)
    decided_at = models.DateTimeField()
    idempotency_key = models.CharField(max_length=100, blank=True, db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["senior", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="adjudication_one_key",
            ),
            models.CheckConstraint(
                condition=Q(
                    decision__in=[DecisionKind.ADOPT, DecisionKind.MERGE],
                    resulting_revision__isnull=False,
                )
                | Q(
                    decision__in=[DecisionKind.APPROVE, DecisionKind.REJECT],
                    resulting_revision__isnull=True,
                ),
                name="adjudication_text_fits",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} on {self.panel}"


class Reopening(models.Model):
    """The withdrawal of a decision by the senior who took it; the dispute waits anew."""

    adjudication = models.OneToOneField(
        Adjudication, on_delete=models.PROTECT, related_name="reopening"
    )
    senior = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    reopened_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"withdrawal of {self.adjudication}"


class Substitute(models.Model):
    """A member who may settle one dispute because no senior may; named by a manager."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="substitutes")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="substitutions")
    named_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    note = models.TextField()
    named_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "user"], name="substitute_once_a_panel")
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.panel}"


class DisputeVisit(models.Model):
    """Who has a dispute open now; the page renews it, and it holds nobody back."""

    panel = models.ForeignKey(
        Panel, on_delete=models.CASCADE, related_name="visits", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "user"], name="visit_once_a_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.panel} until {self.expires_at}"
