"""Runs, raw answers, scores and their audits; what answers say of items and suggest to review."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.enums import TextSide
from annotation.models import Item, Revision
from common.intervals import Interval, wilson_interval
from endpoints.models import FileCall, ModelSpec, RawCall
from evaluation.enums import ResponseState, Says, Stratum, SuggestionKind, SuggestionState
from jobs.models import Job
from projects.models import Project
from prompts.models import PromptTemplate
from releases.models import Release, ReleaseItem
from review.models import Round
from scoring.scorers.judge import VERDICTS


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


class MinKTest(models.Model):
    """How probable the items of a run are to its model, beside texts of like length; one a run.

    `job` asks it. Up to `most` items are drawn with `seed`; `unmatched_count` of them had no control
    text of like length and are left out. Controls are items of the release `control`, and texts
    that a person gave. Starting again replaces the texts; what was answered stays. `budget` is in US
    dollars.
    """

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="min_k")
    side = models.CharField(max_length=6, choices=TextSide)
    control = models.ForeignKey(Release, null=True, on_delete=models.PROTECT, related_name="+")
    most = models.PositiveSmallIntegerField()
    seed = models.PositiveIntegerField()
    unmatched_count = models.PositiveSmallIntegerField()
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    concurrency = models.PositiveSmallIntegerField(default=8)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(budget__isnull=True) | Q(budget__gt=Decimal(0)), name="minktest_budget"
            ),
        ]

    def __str__(self) -> str:
        return f"Min-k % of run {self.run_id}"


class MinKText(models.Model):
    """A text whose tokens are weighed: an item, or the control that has the same `pair`.

    `request_hash` finds its answer among the calls of the project. `text` is one that a person gave;
    that of a released item is the release's.
    """

    test = models.ForeignKey(
        MinKTest, on_delete=models.CASCADE, related_name="texts", db_index=False
    )
    pair = models.PositiveSmallIntegerField()
    is_control = models.BooleanField()
    placed = models.ForeignKey(ReleaseItem, null=True, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(blank=True)
    request_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["test", "pair", "is_control"], name="minktext_once"),
            models.CheckConstraint(
                condition=Q(placed__isnull=False, text="")
                | (Q(placed__isnull=True, is_control=True) & ~Q(text="")),
                name="minktext_one_text",
            ),
        ]

    def __str__(self) -> str:
        return str(self.placed or self.text)


class MinKCall(RawCall):
    """The raw answer about one text; its `text` holds log-probabilities (`write_likelihoods`).

    `values` are Min-k % for each of `scoring.min_k.PERCENTS`, of `token_count` tokens; empty if
    nothing can be read.
    """

    test = models.ForeignKey(MinKTest, on_delete=models.PROTECT, related_name="calls")
    state = models.CharField(max_length=8, choices=ResponseState)
    token_count = models.PositiveIntegerField(default=0)
    values = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["test", "request_hash"],
                condition=Q(state=ResponseState.ANSWERED),
                name="minkcall_answered_once",
            ),
        ]
        indexes = [models.Index(fields=["request_hash"], name="minkcall_request")]

    def __str__(self) -> str:
        return f"{self.test}: {self.request_hash}"


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


class ItemAnalysis(models.Model):
    """The analysis of the items of a release by the answers of its finished runs; one a release.

    Analysing again replaces its figures. `reference` is a release of the same items in the source
    language, perhaps in another project, whose runs the items are compared with. `basis` says which
    answers the figures rest on (`evaluation.items.queries.basis_of`), `facts` what a reader has to
    know: {models, respondents, methods, reference_models, …}. Both are empty until `job` has ended.
    """

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="item_analysis")
    reference = models.ForeignKey(Release, null=True, on_delete=models.PROTECT, related_name="+")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    basis = models.JSONField(default=list)
    facts = models.JSONField(default=dict)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"items of {self.release}"


class ItemFigure(models.Model):
    """The figures of one item in an analysis; `scoring.item_statistics` says what each means.

    `position` and `is_hidden` repeat the released item's, so that the list needs one index. The
    `…_rank` columns order the list: what is undefined comes last. `chosen` and `strong_chosen` are
    the shares of the options, in the order of the release. `dif` is `scoring.item_dif.ItemDif` as
    JSON, empty without runs in the source language.
    """

    analysis = models.ForeignKey(
        ItemAnalysis, on_delete=models.PROTECT, related_name="figures", db_index=False
    )
    placed = models.ForeignKey(
        ReleaseItem, on_delete=models.PROTECT, related_name="+", db_constraint=False
    )
    position = models.PositiveIntegerField()
    is_hidden = models.BooleanField()
    answers = models.PositiveIntegerField()
    model_count = models.PositiveIntegerField()
    difficulty = models.FloatField(null=True)
    discrimination = models.FloatField(null=True)
    chosen = models.JSONField(default=list)
    strong_chosen = models.JSONField(default=list)
    strong = models.PositiveIntegerField()
    strong_choice = models.CharField(max_length=2, blank=True)
    strong_agree = models.PositiveIntegerField()
    epoch_runs = models.PositiveIntegerField()
    epoch_flips = models.FloatField(null=True)
    prompt_spread = models.FloatField(null=True)
    dif = models.JSONField(default=dict)
    difficulty_rank = models.FloatField()
    discrimination_rank = models.FloatField()
    dif_rank = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["analysis", "position"], name="itemfigure_one_position"
            ),
        ]
        indexes = [
            models.Index(fields=["analysis", f"{name}_rank", "id"], name=f"itemfigure_by_{short}")
            for name, short in (
                ("difficulty", "difficulty"),
                ("discrimination", "discrimination"),
                ("dif", "dif"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.placed} in {self.analysis}"


class ReviewSuggestion(models.Model):
    """An item that people should look at again, because of how models answer it.

    One for each kind and text: an analysis changes the strength and evidence of those that are open,
    takes back those that it no longer makes, and leaves alone what people sent or dismissed.
    `strength` is between 0 and 1 and orders the queue; `evidence` holds the numbers behind it.
    `round` may point to a round that was discarded, for rounds know nothing of suggestions: then it
    is as if the suggestion had not been sent (`evaluation.items.actions.put_back_discarded`).
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="review_suggestions", db_index=False
    )
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    placed = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="+")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="review_suggestions")
    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=12, choices=SuggestionKind)
    strength = models.FloatField()
    evidence = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=SuggestionState, default=SuggestionState.OPEN)
    created_at = models.DateTimeField()
    round = models.ForeignKey(
        Round,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="review_suggestions",
        db_constraint=False,
    )
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "kind"], name="reviewsuggestion_once"),
            models.CheckConstraint(
                condition=Q(strength__gte=0, strength__lte=1), name="reviewsuggestion_strength"
            ),
            models.CheckConstraint(
                condition=Q(state=SuggestionState.OPEN, round=None, decided_at=None)
                | Q(state=SuggestionState.SENT, round__isnull=False, decided_at__isnull=False)
                | (
                    Q(state=SuggestionState.DISMISSED, round=None, decided_at__isnull=False)
                    & ~Q(reason="")
                ),
                name="reviewsuggestion_state_fits",
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "state", "-strength", "id"], name="reviewsuggestion_queue"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.placed}"
