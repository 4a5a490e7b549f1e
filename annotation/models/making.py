"""Jobs that have a model propose wrong answers for pairs, the pairs, and every answer as it came."""

from django.db import models
from django.db.models import Q

from annotation.enums import CallState, MadePairState
from annotation.models.asking import AskingJob
from endpoints.models import RawCall
from projects.models import Project
from prompts.models import PromptTemplate


class MakingJob(AskingJob):
    """One job: which model proposes wrong answers. `name` is that of the file, and of the import."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="making_jobs")
    prompt_template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=200)
    seed = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name} in {self.project_id}"


class MadePair(models.Model):
    """One question with its answer, and what the model proposed. A failed one has code and data of the reason."""

    making_job = models.ForeignKey(
        MakingJob, on_delete=models.PROTECT, related_name="pairs", db_index=False
    )
    line = models.PositiveIntegerField()
    uid = models.CharField(max_length=200)
    question = models.TextField()
    answer = models.TextField()
    subject = models.TextField(blank=True)
    distractors = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=MadePairState, default=MadePairState.OPEN)
    reason = models.CharField(max_length=60, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["making_job", "uid"], name="madepair_once_a_job"),
            models.CheckConstraint(
                condition=Q(state=MadePairState.FAILED) & ~Q(reason="")
                | Q(state__in=[MadePairState.OPEN, MadePairState.MADE], reason=""),
                name="madepair_state_fits",
            ),
        ]
        indexes = [models.Index(fields=["making_job", "state", "id"], name="madepair_state")]

    def __str__(self) -> str:
        return f"{self.uid}: {self.state}"


class MakingCall(RawCall):
    """The raw answer to one pair. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer.
    """

    pair = models.ForeignKey(MadePair, on_delete=models.PROTECT, related_name="calls")
    attempt = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=CallState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "attempt"],
                condition=Q(state=CallState.ANSWERED),
                name="makingcall_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempt} of {self.pair_id}"
