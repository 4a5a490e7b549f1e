"""Jobs that have a model translate items, what became of each item, and every answer as it came."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.enums import CallState, TranslatedState, TranslationStrategy
from annotation.models.asking import AskingJob
from annotation.models.items import Item, Revision
from endpoints.models import FileCall, ModelSpec
from projects.models import Project
from prompts.models import PromptTemplate

MIN_SAMPLES, MOST_SAMPLES = 2, 8


class TranslationJob(AskingJob):
    """One job of one system: which model translates, by which strategy.

    `judge_spec` is null if the translating model judges too, or the strategy has no judge.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="translation_jobs")
    system = models.CharField(max_length=100)
    judge_spec = models.ForeignKey(ModelSpec, null=True, on_delete=models.PROTECT, related_name="+")
    prompt_template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="+")
    strategy = models.CharField(max_length=10, choices=TranslationStrategy)
    samples = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(MIN_SAMPLES), MaxValueValidator(MOST_SAMPLES)]
    )

    class Meta(AskingJob.Meta):
        constraints = [
            *AskingJob.Meta.constraints,
            models.CheckConstraint(
                condition=Q(strategy__in=TranslationStrategy.values),
                name="translationjob_strategy_known",
            ),
            models.CheckConstraint(
                condition=Q(samples__gte=MIN_SAMPLES, samples__lte=MOST_SAMPLES),
                name="translationjob_samples",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} ({self.strategy})"

    @property
    def judge(self) -> ModelSpec:
        """The model that scores and ranks candidates."""
        return self.judge_spec or self.model_spec

    @property
    def specs(self) -> list[ModelSpec]:
        return [self.model_spec, self.judge_spec] if self.judge_spec else [self.model_spec]


class TranslatedItem(models.Model):
    """One item of a translation job and its outcome.

    A failed one has the code and the data of the reason; the words are made when they are shown.
    """

    translation_job = models.ForeignKey(
        TranslationJob, on_delete=models.PROTECT, related_name="items", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=TranslatedState, default=TranslatedState.OPEN)
    reason = models.CharField(max_length=60, blank=True)
    reason_data = models.JSONField(default=dict)
    revision = models.OneToOneField(
        Revision, null=True, on_delete=models.PROTECT, related_name="translated_item"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["translation_job", "item"], name="translateditem_once_a_job"
            ),
            models.CheckConstraint(
                condition=Q(state=TranslatedState.TRANSLATED, revision__isnull=False, reason="")
                | Q(state=TranslatedState.OPEN, revision__isnull=True, reason="")
                | Q(state=TranslatedState.FAILED, revision__isnull=True) & ~Q(reason=""),
                name="translateditem_state_fits",
            ),
        ]
        indexes = [models.Index(fields=["translation_job", "state"], name="translateditem_state")]

    def __str__(self) -> str:
        return f"{self.item_id} in {self.translation_job_id}: {self.state}"


class TranslationCall(FileCall):
    """The raw answer to one step of an item. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer.
    """

    translated_item = models.ForeignKey(
        TranslatedItem, on_delete=models.PROTECT, related_name="calls"
    )
    step = models.CharField(max_length=20)
    attempt = models.PositiveSmallIntegerField()
    is_judge = models.BooleanField()
    state = models.CharField(max_length=8, choices=CallState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["translated_item", "step", "attempt"],
                condition=Q(state=CallState.ANSWERED),
                name="translationcall_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.step} {self.attempt} of {self.translated_item_id}"
