"""Min-k % tests of a run: their texts, and every answer as it came."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from annotation.enums import TextSide
from endpoints.models import RawCall
from evaluation.enums import ResponseState
from evaluation.models.runs import Run
from jobs.models import Job
from releases.models import Release, ReleaseItem


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
