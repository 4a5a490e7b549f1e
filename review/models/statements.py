"""Closed statements of work."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from projects.models import Project
from review.models.judgements import Judgement


class WorkStatement(models.Model):
    """What everybody worked in a project in one month of UTC, closed; rows are only ever inserted.

    `month` is its first day.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="work_statements", db_index=False
    )
    month = models.DateField()
    closed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    closed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "month"], name="workstatement_one_month")
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.month:%Y-%m}"


class WorkStatementLine(models.Model):
    """One person's work in a closed statement, with name, rate and amount as they were then.

    `late_judgements` of `judgements` are of months that were closed already. Rate and amount are
    empty together, for those who had no rate.
    """

    statement = models.ForeignKey(
        WorkStatement, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="work_statement_lines")
    name = models.CharField(max_length=150)
    email = models.EmailField(max_length=254)
    judgements = models.PositiveIntegerField()
    late_judgements = models.PositiveIntegerField()
    active_seconds = models.PositiveBigIntegerField()
    hourly = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    currency = models.CharField(max_length=3, blank=True)
    amount = models.DecimalField(max_digits=14, decimal_places=2, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["statement", "person"], name="workstatementline_one_person"
            ),
            models.CheckConstraint(
                condition=Q(hourly__isnull=True, currency="", amount__isnull=True)
                | (Q(hourly__isnull=False, amount__isnull=False) & ~Q(currency="")),
                name="workstatementline_paid_or_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} in {self.statement}"


class StatedJudgement(models.Model):
    """A judgement that a closed statement counts: none is counted twice."""

    judgement = models.OneToOneField(
        Judgement, primary_key=True, on_delete=models.PROTECT, related_name="stated"
    )
    statement = models.ForeignKey(WorkStatement, on_delete=models.PROTECT, related_name="stated")

    def __str__(self) -> str:
        return f"{self.judgement} in {self.statement}"
