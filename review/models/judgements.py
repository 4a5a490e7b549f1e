"""What reviewers said: judgements, suggestions and skips."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Revision
from review.enums import SkipReason, Verdict
from review.models.panels import Assignment, Panel


class JudgementsInForce(models.Manager["Judgement"]):
    """Every judgement but those that their reviewer took back and those of control items."""

    def get_queryset(self) -> models.QuerySet["Judgement"]:
        return super().get_queryset().filter(is_withdrawn=False, is_control=False)


class JudgementsWithControls(models.Manager["Judgement"]):
    """Every judgement in force, those of control items too: a person's work and pay."""

    def get_queryset(self) -> models.QuerySet["Judgement"]:
        return super().get_queryset().filter(is_withdrawn=False)


class Judgement(models.Model):
    """What one reviewer said of one revision; rows are only ever inserted.

    `ratings` is {criterion: whole number}. `correction` is {"question": text, "options": [text,
    …]} where the verdict is revise, else null. `numbers_confirmed` says that it changes numbers or
    formulas against the source, and that the reviewer meant to. `active_seconds` leaves out idle time.
    `is_withdrawn` repeats that a `Withdrawal` took the judgement back, or that the answer to a
    second look (`Inquiry`) took its place, so that the database can hold
    one judgement a person; `objects` leaves such rows out, `all_rows` has them. `is_control`
    repeats the panel's; `with_controls` has those rows, without the ones taken back.
    `revealed_after` is how many seconds of work on the target text alone came before the source
    and the key were shown; null where the round has no blind first reading.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgements")
    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="judgements")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="judgements")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="judgements")
    verdict = models.CharField(max_length=8, choices=Verdict)
    ratings = models.JSONField()
    tags = models.JSONField(default=list)
    comment = models.TextField(blank=True)
    correction = models.JSONField(null=True)
    numbers_confirmed = models.BooleanField(default=False, db_default=False)
    active_seconds = models.PositiveIntegerField(default=0)
    idempotency_key = models.CharField(max_length=100)
    receipt = models.UUIDField(unique=True)
    submitted_at = models.DateTimeField()
    is_withdrawn = models.BooleanField(default=False, db_default=False)
    is_control = models.BooleanField(default=False, db_default=False)
    revealed_after = models.PositiveIntegerField(null=True)

    objects: ClassVar = JudgementsInForce()
    with_controls: ClassVar = JudgementsWithControls()
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
