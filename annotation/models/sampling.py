"""Jobs that draw a sample of prompts from a pool, its prompts with their scores, and every answer as it came."""

from typing import Final

from django.db import models
from django.db.models import Q

from annotation.enums import CallState, PooledState
from annotation.models.asking import AskingJob
from endpoints.models import RawCall
from projects.models import Project
from prompts.models import PromptTemplate

CRITERIA: Final = ("specificity", "clarity", "depth")
_SCORED: Final = Q(
    *(Q(**{f"{name}__isnull": False, f"{name}__range": (1, 5)}) for name in CRITERIA)
)
_UNSCORED: Final = Q(*(Q(**{f"{name}__isnull": True}) for name in CRITERIA))


class SamplingJob(AskingJob):
    """One job: which model scores a pool, and how many prompts are drawn.

    `name` is that of the file, and of the import. `embedding_model` makes the vectors by which topics
    are found.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sampling_jobs")
    prompt_template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=200)
    count = models.PositiveIntegerField()
    seed = models.PositiveIntegerField(default=0)
    embedding_model = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.name} in {self.project_id}"


class PooledPrompt(models.Model):
    """One prompt of a pool.

    `topic` and `twins`, its group of near-duplicates, are numbers within the job, None before they are
    found. `place` counts from 1 in the order of drawing, None unless it is drawn; a prompt once drawn
    stays so. A failed one has code and data of the reason.
    """

    sampling_job = models.ForeignKey(
        SamplingJob, on_delete=models.PROTECT, related_name="prompts", db_index=False
    )
    line = models.PositiveIntegerField()
    uid = models.CharField(max_length=200)
    prompt = models.TextField()
    subject = models.TextField(blank=True)
    topic = models.PositiveIntegerField(null=True)
    twins = models.PositiveIntegerField(null=True)
    specificity = models.PositiveSmallIntegerField(null=True)
    clarity = models.PositiveSmallIntegerField(null=True)
    depth = models.PositiveSmallIntegerField(null=True)
    place = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=10, choices=PooledState, default=PooledState.OPEN)
    reason = models.CharField(max_length=60, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sampling_job", "uid"], name="pooledprompt_once_a_job"),
            models.UniqueConstraint(fields=["sampling_job", "place"], name="pooledprompt_place"),
            models.CheckConstraint(
                condition=Q(_SCORED, state=PooledState.SCORED, reason="")
                | Q(_UNSCORED, state=PooledState.OPEN, reason="", place__isnull=True)
                | Q(_UNSCORED, ~Q(reason=""), state=PooledState.FAILED, place__isnull=True),
                name="pooledprompt_state_fits",
            ),
            models.CheckConstraint(
                condition=Q(place__isnull=True)
                | Q(topic__isnull=False, twins__isnull=False, place__gte=1),
                name="pooledprompt_drawn_of_a_topic",
            ),
        ]
        indexes = [models.Index(fields=["sampling_job", "state", "id"], name="pooledprompt_state")]

    def __str__(self) -> str:
        return f"{self.uid}: {self.state}"

    @property
    def scores(self) -> dict[str, int]:
        """The scores by criterion; empty before there are any."""
        return {} if self.depth is None else {name: getattr(self, name) for name in CRITERIA}


class SamplingCall(RawCall):
    """The raw answer to one prompt. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer.
    """

    pooled_prompt = models.ForeignKey(PooledPrompt, on_delete=models.PROTECT, related_name="calls")
    attempt = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=CallState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pooled_prompt", "attempt"],
                condition=Q(state=CallState.ANSWERED),
                name="samplingcall_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempt} of {self.pooled_prompt_id}"
