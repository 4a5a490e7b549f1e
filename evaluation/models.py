"""Models under test, the prompts they get, their raw answers and what scorers read in them."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Project
from common.models import Job
from evaluation.enums import PromptStyle, ResponseState
from releases.models import Release, ReleaseItem


class ModelSpec(models.Model):
    """A model at an endpoint with its decoding parameters; any change is a new revision.

    `api_key_env` names the environment variable that holds the key; the key itself is nowhere.
    `requests_per_minute` bounds the calls of all runs to the endpoint together; null is no bound.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="model_specs")
    name = models.CharField(max_length=100)
    revision = models.PositiveSmallIntegerField(default=1)
    base_url = models.URLField(max_length=300)
    model = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    api_key_env = models.CharField(max_length=100, blank=True)
    requests_per_minute = models.PositiveIntegerField(
        null=True, validators=[MinValueValidator(1), MaxValueValidator(100_000)]
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "revision"], name="modelspec_one_revision"
            ),
            models.CheckConstraint(
                condition=Q(requests_per_minute__isnull=True)
                | Q(requests_per_minute__gte=1, requests_per_minute__lte=100_000),
                name="modelspec_requests_per_minute",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PromptTemplate(models.Model):
    """How an item is put to a model; `system` and `frame` hold the placeholders of `evaluation.prompts`."""

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
    """A release put to a model spec with one prompt; the job row says how far it is."""

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
    started_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(epochs__gte=1, epochs__lte=50), name="run_epochs")
        ]

    def __str__(self) -> str:
        return f"{self.model_spec} on {self.release}"


class ModelResponse(models.Model):
    """The raw output of one item in one epoch; an answered one is never asked for again.

    A failed row stays as it is and does not stand in the way of a later answer.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="responses")
    release_item = models.ForeignKey(
        ReleaseItem, on_delete=models.PROTECT, related_name="responses"
    )
    epoch = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=ResponseState)
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    endpoint_model = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(default=0)
    try_count = models.PositiveSmallIntegerField(default=1)
    request_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()

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
    """One scorer version's reading of one response; `letter` is empty where it took none."""

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
