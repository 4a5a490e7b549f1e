"""Jobs that have a model explain the keys of items, what came of each, and every answer as it came."""

from django.db import models
from django.db.models import Q

from annotation.enums import CallState
from annotation.models import Item, Revision
from annotation.models.asking import AskingJob
from endpoints.models import RawCall
from projects.models import Project
from prompts.models import PromptTemplate
from review.enums import ExplainedState


class ExplanationJob(AskingJob):
    """One job: which model explains which items, with which prompt."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="explanation_jobs")
    prompt_template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.model_spec_id} in {self.project_id}"


class ExplainedItem(models.Model):
    """One text that a job asks about, and `made`, the text with its explanation.

    A failed one has code and data of the reason. It is the origin of the explanation: its job names
    the model and the prompt.
    """

    explanation_job = models.ForeignKey(
        ExplanationJob, on_delete=models.PROTECT, related_name="items", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="explained")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    made = models.OneToOneField(
        Revision, null=True, on_delete=models.PROTECT, related_name="explained_by"
    )
    state = models.CharField(max_length=10, choices=ExplainedState, default=ExplainedState.OPEN)
    reason = models.CharField(max_length=60, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["explanation_job", "item"], name="explaineditem_once_a_job"
            ),
            models.CheckConstraint(
                condition=Q(state=ExplainedState.EXPLAINED, made__isnull=False, reason="")
                | Q(state=ExplainedState.OPEN, made__isnull=True, reason="")
                | Q(state=ExplainedState.FAILED, made__isnull=True) & ~Q(reason=""),
                name="explaineditem_state_fits",
            ),
        ]
        indexes = [
            models.Index(fields=["explanation_job", "state", "id"], name="explaineditem_state")
        ]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.state}"


class ExplanationCall(RawCall):
    """The raw answer about one text. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer.
    """

    explained = models.ForeignKey(ExplainedItem, on_delete=models.PROTECT, related_name="calls")
    attempt = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=CallState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["explained", "attempt"],
                condition=Q(state=CallState.ANSWERED),
                name="explanationcall_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempt} of {self.explained_id}"
