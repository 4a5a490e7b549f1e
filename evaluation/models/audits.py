"""What people read in responses, to learn how well methods read them."""

from django.db import models

from accounts.models import User
from evaluation.enums import Stratum
from evaluation.models.runs import ModelResponse, Run
from jobs.models import Job


class ExtractionAudit(models.Model):
    """The sample of a run's responses that people read, to learn how well the methods read; one a run.

    `job` draws it: up to `doubtful` responses in which no method finds an answer, as many in which
    methods differ, and up to `agreed` of the rest, for each kind of item. `populations` counts what
    they were drawn from: {kind of item: {stratum: responses}}. It is empty until the job has ended.
    """

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="audit")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    seed = models.PositiveIntegerField()
    doubtful = models.PositiveSmallIntegerField()
    agreed = models.PositiveSmallIntegerField()
    populations = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"audit of run {self.run_id}"


class AuditedResponse(models.Model):
    """A response in the sample of an audit; people get them by `position`, in a drawn order."""

    audit = models.ForeignKey(
        ExtractionAudit, on_delete=models.PROTECT, related_name="responses", db_index=False
    )
    response = models.ForeignKey(ModelResponse, on_delete=models.PROTECT, related_name="+")
    stratum = models.CharField(max_length=6, choices=Stratum)
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["audit", "position"], name="auditedresponse_position"),
            models.UniqueConstraint(fields=["response"], name="auditedresponse_once"),
        ]

    def __str__(self) -> str:
        return f"response {self.response_id} in {self.audit}"


class ExtractionReading(models.Model):
    """What a person reads in a response: an option letter, a number, or nothing if `answer` is empty.

    Of a response to an open-ended item it is `evaluation.audits.readings.RIGHT` or WRONG.
    """

    audited = models.ForeignKey(
        AuditedResponse, on_delete=models.PROTECT, related_name="readings", db_index=False
    )
    reader = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    answer = models.CharField(max_length=40, blank=True)
    read_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["audited", "reader"], name="extractionreading_one_reader"
            ),
        ]

    def __str__(self) -> str:
        return self.answer or "–"
