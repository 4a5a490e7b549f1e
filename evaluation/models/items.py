"""What answers say of items, and what is suggested to review."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Item, Revision
from evaluation.enums import SuggestionKind, SuggestionState
from jobs.models import Job
from projects.models import Project
from releases.models import Release, ReleaseItem
from review.models import Round


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
