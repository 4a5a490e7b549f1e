"""Runs, what models answered, and how methods scored it."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from common.intervals import Interval, wilson_interval
from endpoints.models import FileCall, ModelSpec
from evaluation.enums import ResponseState, Says
from jobs.models import Job
from prompts.models import PromptTemplate
from releases.models import Release, ReleaseItem


class Run(models.Model):
    """A run of a model spec on a release, with one prompt.

    The options of items are shown from the one at `rotation` on, those before it last; letters in
    scores are the release's all the same. Examples keep their order.

    `is_published` says that reasoning is removed from answers as the published scorer of TLUE does.

    `job` asks the questions and has the progress. `scoring_job` is the last job that scored the
    stored answers again, after a method got a new version.

    A run with a `budget`, in US dollars, ends when it is spent; a resumed one may have another.
    Answers that an earlier run of the project got to the same question are copied, unless
    `is_asked_again`.

    `imported_from` is the format of the file that the answers came from, if another program asked
    them; nobody knows the messages then. `import_report` says what was joined, what was not, and
    the other program's own figures.

    The `headline_…` fields are copies for lists, made when a job of the run ended: according to
    the headline method, `headline_right` of `headline_read` answers were right. So are the counts of
    answers and tokens, which `evaluation.results.queries.usage` defines.
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
    rotation = models.PositiveSmallIntegerField(
        default=0, db_default=0, validators=[MaxValueValidator(9)]
    )
    methods = models.JSONField(default=list)
    is_published = models.BooleanField(default=False)
    is_asked_again = models.BooleanField(default=False)
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    concurrency = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(64)]
    )
    imported_from = models.CharField(max_length=20, blank=True, default="", db_default="")
    import_report = models.JSONField(default=dict)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    scoring_job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    headline_method = models.CharField(max_length=30, blank=True)
    headline_right = models.PositiveIntegerField(default=0)
    headline_read = models.PositiveIntegerField(default=0)
    headline_low = models.FloatField(null=True)
    headline_high = models.FloatField(null=True)
    bought_count = models.PositiveIntegerField(default=0)
    reused_count = models.PositiveIntegerField(default=0)
    unmeasured_count = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    file_prompt_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    file_completion_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    started_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(epochs__gte=1, epochs__lte=50), name="run_epochs"),
            models.CheckConstraint(
                condition=Q(rotation__gte=0, rotation__lte=9), name="run_rotation"
            ),
            models.CheckConstraint(
                condition=Q(headline_right__lte=models.F("headline_read")), name="run_headline"
            ),
            models.CheckConstraint(
                condition=Q(budget__isnull=True) | Q(budget__gt=Decimal(0)), name="run_budget"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model_spec} on {self.release}"

    @property
    def headline_accuracy(self) -> float | None:
        """Between 0 and 1; None if the headline method has not scored anything."""
        return self.headline_right / self.headline_read if self.headline_read else None

    @property
    def headline_interval(self) -> Interval | None:
        """The interval of the headline accuracy over items; None if it is not known.

        Runs from before it was kept have it where each item was asked once.
        """
        if self.headline_low is not None and self.headline_high is not None:
            return Interval(self.headline_low, self.headline_high)
        if self.headline_read and self.epochs == 1:
            return wilson_interval(self.headline_right, self.headline_read)
        return None


class ModelResponse(FileCall):
    """The raw answer to one item in one epoch. Once there is an answer, it is not asked for again.

    Failed rows are kept and do not prevent a later answer. A row with `reused_from` is a copy of
    the answer that an earlier run bought, and `reused_from` is never a copy itself. `says` is empty
    for a failed row.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="responses")
    release_item = models.ForeignKey(
        ReleaseItem, on_delete=models.PROTECT, related_name="responses"
    )
    epoch = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=ResponseState)
    says = models.CharField(max_length=9, choices=Says, blank=True, default="", db_default="")
    reused_from = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="copies"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "release_item", "epoch"],
                condition=Q(state=ResponseState.ANSWERED),
                name="modelresponse_answered_once",
            ),
            models.CheckConstraint(
                condition=Q(reused_from__isnull=True) | Q(state=ResponseState.ANSWERED),
                name="modelresponse_reused_is_answered",
            ),
        ]
        indexes = [
            models.Index(fields=["run", "state"], name="modelresponse_run_state"),
            models.Index(
                fields=["request_hash"],
                condition=Q(reused_from__isnull=True),
                name="modelresponse_bought",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_item} epoch {self.epoch} of run {self.run_id}"


class Score(models.Model):
    """One response as scored by one version of a scorer; `letter` is empty if it found none.

    `error_kind` is the outcome, empty if it is right. `cause` says more about it: one of
    `scoring.error_kinds`, empty if it is right, or in scores from before it was kept.
    """

    response = models.ForeignKey(ModelResponse, on_delete=models.PROTECT, related_name="scores")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="scores")
    method = models.CharField(max_length=30)
    version = models.PositiveSmallIntegerField()
    letter = models.CharField(max_length=40, blank=True)
    is_valid = models.BooleanField()
    is_correct = models.BooleanField()
    error_kind = models.CharField(max_length=30, blank=True)
    cause = models.CharField(max_length=20, blank=True, default="", db_default="")

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
