"""Jobs that have a model look for doubtful items, its opinions, and every answer as it came."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.enums import CallState, OpinionState, Screen
from annotation.models.asking import AskingJob
from annotation.models.items import Item, Revision
from endpoints.models import FileCall
from projects.models import Project
from prompts.models import PromptTemplate


class ScreeningJob(AskingJob):
    """One job: which model screens which items."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="screening_jobs")

    def __str__(self) -> str:
        return f"{self.model_spec_id} in {self.project_id}"


class Opinion(models.Model):
    """What a model says of one item to the question of one screen.

    It is about the text of `revision`, or about the source text if that is null. Opinions are no
    findings: no check takes them away, and nothing that holds an approval or a release back reads
    them. A failed one has the code and the data of the reason.
    """

    screening_job = models.ForeignKey(
        ScreeningJob, on_delete=models.PROTECT, related_name="opinions", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="opinions")
    revision = models.ForeignKey(
        Revision, null=True, on_delete=models.PROTECT, related_name="opinions"
    )
    screen = models.CharField(max_length=10, choices=Screen)
    prompt_template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=OpinionState, default=OpinionState.OPEN)
    confidence = models.FloatField(null=True)
    words = models.TextField(blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["screening_job", "item", "screen"], name="opinion_once_a_job"
            ),
            models.CheckConstraint(
                condition=Q(state__in=[OpinionState.DOUBT, OpinionState.FINE])
                & Q(confidence__gte=0, confidence__lte=1)
                & ~Q(words="")
                | Q(state=OpinionState.OPEN, confidence__isnull=True, words="")
                | Q(state=OpinionState.FAILED, confidence__isnull=True) & ~Q(words=""),
                name="opinion_state_fits",
            ),
        ]
        indexes = [
            models.Index(
                fields=["screening_job", "state", "-confidence", "-id"], name="opinion_sureness"
            ),
            models.Index(
                fields=["screening_job", "screen", "state", "-confidence", "-id"],
                name="opinion_sureness_of_screen",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.screen} of {self.item_id}: {self.state}"


class ScreenThreshold(models.Model):
    """From which confidence on the doubts of a screen count in a project; without a row, all do."""

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="screen_thresholds", db_index=False
    )
    screen = models.CharField(max_length=10, choices=Screen)
    confidence = models.FloatField(validators=[MinValueValidator(0), MaxValueValidator(1)])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "screen"], name="screenthreshold_once"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="screenthreshold_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.screen} from {self.confidence}"


class ScreeningCall(FileCall):
    """The raw answer to one question. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer.
    """

    opinion = models.ForeignKey(Opinion, on_delete=models.PROTECT, related_name="calls")
    attempt = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=CallState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["opinion", "attempt"],
                condition=Q(state=CallState.ANSWERED),
                name="screeningcall_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempt} of {self.opinion_id}"
