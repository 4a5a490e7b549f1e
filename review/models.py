"""Rounds, their panels and seats, and what reviewers and seniors said."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Item, Revision
from jobs.models import Job
from projects.models import Project
from review.enums import (
    DecisionKind,
    Outcome,
    PanelState,
    Purpose,
    RoundState,
    SeatState,
    Selection,
    SkipReason,
    Verdict,
    VerdictRule,
)


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
    if it is one.
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
        default=2, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    reservation_minutes = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    cap_per_person = models.PositiveIntegerField(null=True, validators=[MinValueValidator(1)])
    due_on = models.DateField(null=True)
    is_same_panel_allowed = models.BooleanField(default=False)
    audience = models.JSONField(default=dict)
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
        ]

    def __str__(self) -> str:
        return f"{self.project} round {self.number}"


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

    Apart from the round, which every claim reads. `review.report_queries` says what `content`
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


class Panel(models.Model):
    """The seats of a round on one revision, and what their judgements amount to.

    `tally` is the canonical text of the judgements so far (`review.outcomes.make_tally`), kept
    by `submit_judgement`; every figure is a function of {tally: number of panels}.
    `position` is the order in which seats are offered: risky items first.
    `reasons` is a list of {code, …}, empty unless disputed. `reason_codes` are their codes between
    blanks, and `uid_key` sorts as people count (as `Item.uid_order`): the queue of disputes
    is filtered and sorted by them. `adjudication` is the decision in force.
    """

    # The indexes below begin with `round`; one for the key alone would only slow writes down.
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, related_name="panels", db_index=False
    )
    # Repeats the revision's. The revision's keys hold the item; a second check would lock every
    # item of a round while it is opened.
    item = models.ForeignKey(
        Item, on_delete=models.PROTECT, related_name="panels", db_constraint=False
    )
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="panels")
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=PanelState, default=PanelState.JUDGING)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    reasons = models.JSONField(default=list)
    reason_codes = models.CharField(max_length=120, blank=True, db_default="")
    severity = models.PositiveSmallIntegerField(default=0)
    uid_key = models.CharField(max_length=800, blank=True, db_default="")
    adjudication = models.ForeignKey(
        "review.Adjudication",
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    tally = models.CharField(max_length=100, blank=True)
    decided_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="panel_one_per_item"),
            models.CheckConstraint(
                condition=Q(state=PanelState.JUDGING, outcome="")
                | Q(state=PanelState.UNFINISHED, outcome="")
                | Q(state=PanelState.DISPUTED, outcome=Outcome.DISPUTED)
                | (Q(state=PanelState.SETTLED) & ~Q(outcome="")),
                name="panel_outcome_fits",
            ),
        ]
        indexes = [
            models.Index(fields=["round", "outcome", "tally"], name="panel_tally"),
            models.Index(fields=["round", "state", "-severity", "id"], name="panel_queue"),
        ]

    def __str__(self) -> str:
        return f"panel on {self.item} in {self.round}"


class Assignment(models.Model):
    """One seat of a panel; the reviewer is empty until somebody claims it.

    `round` and `position` repeat the panel's, so that the next free seat is one index look-up. A
    round is opened with hundreds of thousands of seats: indexes over reviewers leave out seats
    that nobody has, and the database checks one key to the round, the panel's. `slot` counts the
    seats that a person holds at once, from 0, so that the database bounds how many that can be.
    """

    # The constraints and indexes below begin with these keys already.
    panel = models.ForeignKey(
        Panel, on_delete=models.PROTECT, related_name="assignments", db_index=False
    )
    round = models.ForeignKey(
        Round,
        on_delete=models.PROTECT,
        related_name="assignments",
        db_index=False,
        db_constraint=False,
    )
    position = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    reviewer = models.ForeignKey(
        User, null=True, on_delete=models.PROTECT, related_name="assignments", db_index=False
    )
    state = models.CharField(max_length=8, choices=SeatState, default=SeatState.OPEN)
    slot = models.PositiveSmallIntegerField(default=0, db_default=0)
    claimed_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "seat"], name="assignment_one_seat"),
            models.UniqueConstraint(
                fields=["panel", "reviewer"],
                condition=Q(reviewer__isnull=False),
                name="assignment_one_person",
            ),
            models.UniqueConstraint(
                fields=["round", "reviewer", "slot"],
                condition=Q(state=SeatState.CLAIMED),
                name="assignment_one_a_slot",
            ),
            models.CheckConstraint(
                condition=(
                    Q(state__in=[SeatState.OPEN, SeatState.CLOSED], reviewer__isnull=True)
                    | Q(
                        state=SeatState.CLAIMED,
                        reviewer__isnull=False,
                        expires_at__isnull=False,
                    )
                    | Q(state=SeatState.JUDGED, reviewer__isnull=False)
                ),
                name="assignment_state_fits",
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "position", "seat"],
                condition=Q(state=SeatState.OPEN),
                name="assignment_open",
            ),
            models.Index(
                fields=["round", "expires_at"],
                condition=Q(state=SeatState.CLAIMED),
                name="assignment_expiry",
            ),
            models.Index(
                fields=["round", "reviewer", "-claimed_at"],
                condition=Q(reviewer__isnull=False),
                name="assignment_latest",
            ),
            models.Index(
                fields=["reviewer"],
                condition=Q(reviewer__isnull=False),
                name="assignment_reviewer",
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.panel}"


class ExpiredClaim(models.Model):
    """A seat that somebody held until its time ran out; they alone may ask for that seat again.

    `claimed_at` is when they took it first: their active time on it counts from then on.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="expired_claims"
    )
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="expired_claims")
    claimed_at = models.DateTimeField(null=True)
    expired_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "reviewer"], name="expired_claim_once_a_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.assignment} until {self.expired_at}"


class JudgementsInForce(models.Manager["Judgement"]):
    """Every judgement but those that their reviewer took back."""

    def get_queryset(self) -> models.QuerySet["Judgement"]:
        return super().get_queryset().filter(is_withdrawn=False)


class Judgement(models.Model):
    """What one reviewer said of one revision; rows are only ever inserted.

    `ratings` is {criterion: whole number}. `correction` is {"question": text, "options": [text,
    …]} where the verdict is revise, else null. `active_seconds` leaves out idle time.
    `is_withdrawn` repeats that a `Withdrawal` took the judgement back, so that the database can
    hold one judgement a person; `objects` leaves such rows out, `all_rows` has them.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="judgements", db_index=False
    )
    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="judgements")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="judgements")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="judgements")
    verdict = models.CharField(max_length=8, choices=Verdict)
    ratings = models.JSONField()
    tags = models.JSONField(default=list)
    comment = models.TextField(blank=True)
    correction = models.JSONField(null=True)
    active_seconds = models.PositiveIntegerField(default=0)
    idempotency_key = models.CharField(max_length=100)
    receipt = models.UUIDField(unique=True)
    submitted_at = models.DateTimeField()
    is_withdrawn = models.BooleanField(default=False, db_default=False)

    objects: ClassVar = JudgementsInForce()
    all_rows: ClassVar = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(is_withdrawn=False),
                name="judgement_one_a_seat",
            ),
            models.UniqueConstraint(
                fields=["panel", "reviewer"],
                condition=Q(is_withdrawn=False),
                name="judgement_one_person",
            ),
            models.UniqueConstraint(
                fields=["reviewer", "idempotency_key"], name="judgement_one_key"
            ),
            models.CheckConstraint(
                condition=Q(verdict=Verdict.REVISE, correction__isnull=False)
                | (~Q(verdict=Verdict.REVISE) & Q(correction__isnull=True)),
                name="judgement_correction_fits",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} on {self.revision}"


class Withdrawal(models.Model):
    """A judgement that its reviewer took back, to give another in its place."""

    judgement = models.OneToOneField(Judgement, on_delete=models.PROTECT, related_name="withdrawal")
    withdrawn_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.judgement} withdrawn"


class Suggestion(models.Model):
    """What a reviewer wanted to say of an item when it was too late for a judgement.

    `reason` is the code of the refusal. Seniors see it, and who judges the item in a later round.
    `correction` has the shape of a judgement's, or is null.
    """

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="suggestions")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="suggestions")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="suggestions")
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    correction = models.JSONField(null=True)
    comment = models.TextField(blank=True)
    reason = models.CharField(max_length=40)
    idempotency_key = models.CharField(max_length=100)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["author", "idempotency_key"], name="suggestion_one_key"
            ),
            models.CheckConstraint(
                condition=Q(correction__isnull=False) | ~Q(comment=""),
                name="suggestion_says_something",
            ),
        ]

    def __str__(self) -> str:
        return f"suggestion of {self.author} on {self.revision}"


class Skip(models.Model):
    """A seat given back with a reason; the same person is not offered the item again.

    `claimed_at` is when they had taken the seat.
    """

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="skips")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="skips")
    reason = models.CharField(max_length=20, choices=SkipReason)
    note = models.TextField(blank=True)
    claimed_at = models.DateTimeField(null=True)
    skipped_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "reviewer"], name="skip_once_a_person")
        ]

    def __str__(self) -> str:
        return f"{self.reviewer} skipped {self.panel}"


class Adjudication(models.Model):
    """A senior's decision on a dispute; `resulting_revision` is the text that it made, if any.

    The one in force is the panel's; the others were withdrawn. `citation` is the passage of the
    round's guideline that the decision follows.
    """

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="adjudications")
    senior = models.ForeignKey(User, on_delete=models.PROTECT, related_name="adjudications")
    decision = models.CharField(max_length=8, choices=DecisionKind)
    adopted = models.ForeignKey(
        Judgement, null=True, on_delete=models.PROTECT, related_name="adoptions"
    )
    resulting_revision = models.OneToOneField(
        Revision, null=True, on_delete=models.PROTECT, related_name="adjudication"
    )
    reason = models.TextField(blank=True)
    citation = models.CharField(max_length=500, blank=True, db_default="")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    decision__in=[DecisionKind.ADOPT, DecisionKind.MERGE],
                    resulting_revision__isnull=False,
                )
                | Q(
                    decision__in=[DecisionKind.APPROVE, DecisionKind.REJECT],
                    resulting_revision__isnull=True,
                ),
                name="adjudication_text_fits",
            )
        ]

    def __str__(self) -> str:
        return f"{self.decision} on {self.panel}"


class WorkStatement(models.Model):
    """What everybody worked in a project in one month of UTC, closed; rows are only ever inserted.

    `month` is its first day.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="work_statements", db_index=False
    )
    month = models.DateField()
    closed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    closed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "month"], name="workstatement_one_month")
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.month:%Y-%m}"


class WorkStatementLine(models.Model):
    """One person's work in a closed statement, with name, rate and amount as they were then.

    `late_judgements` of `judgements` are of months that were closed already. Rate and amount are
    empty together, for those who had no rate.
    """

    statement = models.ForeignKey(
        WorkStatement, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="work_statement_lines")
    name = models.CharField(max_length=150)
    email = models.EmailField(max_length=254)
    judgements = models.PositiveIntegerField()
    late_judgements = models.PositiveIntegerField()
    active_seconds = models.PositiveBigIntegerField()
    hourly = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    currency = models.CharField(max_length=3, blank=True)
    amount = models.DecimalField(max_digits=14, decimal_places=2, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["statement", "person"], name="workstatementline_one_person"
            ),
            models.CheckConstraint(
                condition=Q(hourly__isnull=True, currency="", amount__isnull=True)
                | (Q(hourly__isnull=False, amount__isnull=False) & ~Q(currency="")),
                name="workstatementline_paid_or_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} in {self.statement}"


class StatedJudgement(models.Model):
    """A judgement that a closed statement counts: none is counted twice."""

    judgement = models.OneToOneField(
        Judgement, primary_key=True, on_delete=models.PROTECT, related_name="stated"
    )
    statement = models.ForeignKey(WorkStatement, on_delete=models.PROTECT, related_name="stated")

    def __str__(self) -> str:
        return f"{self.judgement} in {self.statement}"


class Reopening(models.Model):
    """The withdrawal of a decision by the senior who took it; the dispute waits anew."""

    adjudication = models.OneToOneField(
        Adjudication, on_delete=models.PROTECT, related_name="reopening"
    )
    senior = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    reopened_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"withdrawal of {self.adjudication}"


class Substitute(models.Model):
    """A member who may settle one dispute because no senior may; named by a manager."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="substitutes")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="substitutions")
    named_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    note = models.TextField()
    named_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "user"], name="substitute_once_a_panel")
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.panel}"


class DisputeVisit(models.Model):
    """Who has a dispute open now; the page renews it, and it holds nobody back."""

    panel = models.ForeignKey(
        Panel, on_delete=models.CASCADE, related_name="visits", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "user"], name="visit_once_a_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.panel} until {self.expires_at}"
