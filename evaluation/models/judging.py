"""Judges of the answers of a run, and what they replied."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from endpoints.models import ModelSpec, RawCall
from evaluation.enums import ResponseState
from evaluation.models.runs import Run
from jobs.models import Job
from scoring.scorers.judge import VERDICTS


class AnswerJudging(models.Model):
    """The judge model of a run: it says which answers agree with the reference; one a run.

    `job` asks it. `rubric` is what it is told, see `evaluation.judging.rubric`. `budget` is in US
    dollars.
    """

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="judging")
    model_spec = models.ForeignKey(ModelSpec, on_delete=models.PROTECT, related_name="+")
    rubric = models.TextField()
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    concurrency = models.PositiveSmallIntegerField(default=8)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(budget__isnull=True) | Q(budget__gt=Decimal(0)),
                name="answerjudging_budget",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model_spec} on run {self.run_id}"


class JudgeCall(RawCall):
    """A judge's raw reply about one answer; `verdict` is empty if it cannot be read.

    `question` is the hash of the first request about the answer, so that equal answers to an item
    share a reply. A reply that cannot be read is followed by a further `attempt`.
    """

    judging = models.ForeignKey(
        AnswerJudging, on_delete=models.PROTECT, related_name="calls", db_index=False
    )
    question = models.CharField(max_length=64)
    attempt = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=ResponseState)
    verdict = models.CharField(max_length=13, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judging", "question", "attempt"],
                condition=Q(state=ResponseState.ANSWERED),
                name="judgecall_answered_once",
            ),
            models.CheckConstraint(
                condition=Q(verdict="")
                | Q(verdict__in=list(VERDICTS), state=ResponseState.ANSWERED),
                name="judgecall_verdict",
            ),
        ]
        indexes = [
            models.Index(fields=["question"], name="judgecall_question"),
            models.Index(fields=["judging", "state"], name="judgecall_judging"),
        ]

    def __str__(self) -> str:
        return f"{self.judging_id}: {self.verdict or '–'}"
