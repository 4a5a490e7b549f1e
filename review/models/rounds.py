"""Rounds: their guideline, choice of items and stored tables."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from jobs.models import Job
from projects.criteria import HIGHEST
from projects.models import Project
from review.enums import OpinionsShown, Purpose, RoundKind, RoundState, Selection, VerdictRule

MOST_CONTROL_PERCENT = 30


class Guideline(models.Model):
    """Versioned instructions; `rubric` has, for each criterion, one text a rating, lowest first."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="guidelines")
    version = models.PositiveSmallIntegerField()
    text = models.TextField()
    rubric = models.JSONField()
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="guideline_one_version")
        ]

    def __str__(self) -> str:
        return f"{self.project} v{self.version}"


class Round(models.Model):
    """One pass of review over a choice of items; `figures` is frozen when it closes.

    `job` opens it where it has many items. `audience` is `review.audience.Audience` as JSON. While
    `paused_at` is set nobody gets a seat; the round stays open. `purpose` and `stage` are found
    from its items when it opens: how many alignments its texts have been through, with this round
    if it is one. With `has_blind_reading` the target text is read alone before the source and the
    key are shown.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=7, choices=RoundState, default=RoundState.OPENING)
    job = models.ForeignKey(Job, null=True, on_delete=models.PROTECT, related_name="+")
    panel_size = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(9)]
    )
    selection = models.CharField(max_length=12, choices=Selection)
    sample_size = models.PositiveIntegerField(null=True)
    seed = models.PositiveIntegerField(default=0)
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, related_name="rounds")
    verdict_rule = models.CharField(
        max_length=10, choices=VerdictRule, default=VerdictRule.UNANIMOUS
    )
    score_gap = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(HIGHEST)]
    )
    reservation_minutes = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    cap_per_person = models.PositiveIntegerField(null=True, validators=[MinValueValidator(1)])
    due_on = models.DateField(null=True)
    is_same_panel_allowed = models.BooleanField(default=False)
    audience = models.JSONField(default=dict)
    # Settles the disputes that no senior may settle; the round asks them for nothing else.
    substitute = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    paused_at = models.DateTimeField(null=True)
    pause_reason = models.CharField(max_length=500, blank=True)
    opened_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    figures = models.JSONField(default=dict)
    purpose = models.CharField(max_length=9, choices=Purpose, default=Purpose.INITIAL)
    stage = models.PositiveSmallIntegerField(default=0)
    # Kept by the actions that open and judge, so that a page need not count seats.
    panel_count = models.PositiveIntegerField(default=0)
    judged_count = models.PositiveIntegerField(default=0)
    # So many control items for each 100 items; their panels and judgements are counted apart.
    control_percent = models.PositiveSmallIntegerField(
        default=0, db_default=0, validators=[MaxValueValidator(MOST_CONTROL_PERCENT)]
    )
    control_count = models.PositiveIntegerField(default=0, db_default=0)
    control_judged_count = models.PositiveIntegerField(default=0, db_default=0)
    # Seats that uncertain panels are given by themselves, and all seats beyond the panels' size.
    uncertain_seats = models.PositiveSmallIntegerField(
        default=0, db_default=0, validators=[MaxValueValidator(3)]
    )
    added_seat_count = models.PositiveIntegerField(default=0, db_default=0)
    has_blind_reading = models.BooleanField(default=False, db_default=False)
    opinions_shown = models.CharField(
        max_length=13,
        choices=OpinionsShown,
        default=OpinionsShown.NOBODY,
        db_default=OpinionsShown.NOBODY,
    )
    # Rounds of other kinds have no judgements: what is given there is counted apart, so that
    # whatever asks for rounds with judgements leaves them out.
    kind = models.CharField(
        max_length=10, choices=RoundKind, default=RoundKind.REVIEW, db_default=RoundKind.REVIEW
    )
    answered_count = models.PositiveIntegerField(default=0, db_default=0)
    # Chosen items that a round of this kind cannot ask about, as it was opened.
    left_out_count = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="round_one_number"),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=[RoundState.OPENING, RoundState.OPEN]),
                name="round_one_open",
            ),
            models.CheckConstraint(
                condition=Q(panel_size__gte=1, panel_size__lte=9), name="round_panel_size"
            ),
            models.CheckConstraint(
                condition=Q(kind=RoundKind.REVIEW, answered_count=0)
                | (~Q(kind=RoundKind.REVIEW) & Q(judged_count=0)),
                name="round_counts_its_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} round {self.number}"

    @property
    def gives_seats(self) -> bool:
        return self.state == RoundState.OPEN and self.paused_at is None

    @property
    def seat_count(self) -> int:
        return self.panel_count * self.panel_size + self.added_seat_count


class RoundChoice(models.Model):
    """What a round's selection needs besides its name; apart, so that a claim need not read it.

    `uids` are the items of a list, `item_filter` is {field: value} of the item browser's filter,
    `since_round` the number of the round since which texts have changed.
    """

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="choice")
    uids = models.JSONField(default=list)
    item_filter = models.JSONField(default=dict)
    since_round = models.PositiveSmallIntegerField(null=True)

    def __str__(self) -> str:
        return f"choice of {self.round}"


class RoundTables(models.Model):
    """The tables of a closed round by group and by reviewer, frozen with its figures.

    Apart from the round, which every claim reads. `review.report.queries` says what `content`
    holds.
    """

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="tables")
    content = models.JSONField()
    frozen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"tables of {self.round}"


class ReliabilityEstimate(models.Model):
    """What the reliability model said of a project's reviewers, and as of when.

    `content` is {"judgements", "items", "iterations", "is_converged", "prevalence",
    "reviewers": [{"reviewer", "judgements", "accuracy", "low", "high", "confusion"}]}; rows are
    only ever inserted. `as_of` is the number of the latest round that counts.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="reliability_estimates"
    )
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    as_of = models.PositiveSmallIntegerField()
    content = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="reliability_latest")]

    def __str__(self) -> str:
        return f"reliability in {self.project} as of round {self.as_of}"
