"""Models under test, their prompts, runs, raw answers and scores."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from endpoints.models import Endpoint, RawCall
from evaluation.enums import PromptStyle, ResponseState
from jobs.models import Job
from projects.models import Project
from releases.models import Release, ReleaseItem


class ModelSpec(models.Model):
    """A model at an endpoint, with its decoding parameters. Every change is a new revision."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="model_specs")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="model_specs")
    name = models.CharField(max_length=100)
    revision = models.PositiveSmallIntegerField(default=1)
    model = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "revision"], name="modelspec_one_revision"
            )
        ]

    def __str__(self) -> str:
        return self.name


class PromptTemplate(models.Model):
    """How to ask a model an item. `system` and `frame` have the placeholders of `evaluation.prompts`."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="prompt_templates")
    name = models.CharField(max_length=100)
    revision = models.PositiveSmallIntegerField(default=1)
    language = models.CharField(max_length=20)
    style = models.CharField(max_length=20, choices=PromptStyle, default=PromptStyle.DIRECT)
    system = models.TextField(blank=True)
    frame = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "revision"], name="prompttemplate_one_revision"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Run(models.Model):
    """A run of a model spec on a release, with one prompt.

    `job` asks the questions and has the progress. `scoring_job` is the last job that scored the
    stored answers again, after a method got a new version.

    The `headline_…` fields are copies for lists, made when a job of the run ended: according to
    the headline method, `headline_right` of `headline_read` answers were right.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="runs")
    model_spec = models.ForeignKey(ModelSpec, on_delete=models.PROTECT, related_name="runs")
    prompt_template = models.ForeignKey(
        PromptTemplate, on_delete=models.PROTECT, related_name="runs"
    )
    shots = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(20)])
    epochs = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    methods = models.JSONField(default=list)
    concurrency = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(64)]
    )
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    scoring_job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    headline_method = models.CharField(max_length=30, blank=True)
    headline_right = models.PositiveIntegerField(default=0)
    headline_read = models.PositiveIntegerField(default=0)
    started_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(epochs__gte=1, epochs__lte=50), name="run_epochs"),
            models.CheckConstraint(
                condition=Q(headline_right__lte=models.F("headline_read")), name="run_headline"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model_spec} on {self.release}"

    @property
    def headline_accuracy(self) -> float | None:
        """Between 0 and 1; None if the headline method has not scored anything."""
        return self.headline_right / self.headline_read if self.headline_read else None


class ModelResponse(RawCall):
    """The raw answer to one item in one epoch. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="responses")
    release_item = models.ForeignKey(
        ReleaseItem, on_delete=models.PROTECT, related_name="responses"
    )
    epoch = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=ResponseState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "release_item", "epoch"],
                condition=Q(state=ResponseState.ANSWERED),
                name="modelresponse_answered_once",
            )
        ]
        indexes = [models.Index(fields=["run", "state"], name="modelresponse_run_state")]

    def __str__(self) -> str:
        return f"{self.release_item} epoch {self.epoch} of run {self.run_id}"


class Score(models.Model):
    """One response as scored by one version of a scorer; `letter` is empty if it found none."""

    response = models.ForeignKey(ModelResponse, on_delete=models.PROTECT, related_name="scores")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="scores")
    method = models.CharField(max_length=30)
    version = models.PositiveSmallIntegerField()
    letter = models.CharField(max_length=40, blank=True)
    is_valid = models.BooleanField()
    is_correct = models.BooleanField()
    error_kind = models.CharField(max_length=30, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["response", "method", "version"], name="score_once"),
            models.CheckConstraint(
                condition=Q(is_valid=True) | Q(is_correct=False), name="score_correct_is_valid"
            ),
        ]
        indexes = [models.Index(fields=["run", "method"], name="score_run_method")]

    def __str__(self) -> str:
        return f"{self.method}: {self.letter or '–'}"
