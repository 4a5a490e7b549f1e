"""What people gave in rounds that compare systems or solve items, and what follows from it."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import KeyChange, Revision
from review.models.panels import Assignment, Panel
from review.models.statements import WorkStatement


class AnswersInForce(models.Manager["Answer"]):
    """Every answer but those that their author took back."""

    def get_queryset(self) -> models.QuerySet["Answer"]:
        return super().get_queryset().filter(withdrawn_at__isnull=True)


class Answer(models.Model):
    """What one person gave in a seat of a comparison or of a solving round.

    In a solving round `choice` is the letter of an option, empty for "I cannot say". In a
    comparison it is empty, and each text has a `ComparedText`. Rows are only ever inserted;
    `withdrawn_at` is set once, when the author takes the answer back. `objects` leaves such rows
    out, `all_rows` has them.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="answers")
    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="answers")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="answers")
    choice = models.CharField(max_length=40, blank=True)
    comment = models.TextField(blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    idempotency_key = models.CharField(max_length=100)
    receipt = models.UUIDField(unique=True)
    submitted_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    objects: ClassVar = AnswersInForce()
    all_rows: ClassVar = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(withdrawn_at__isnull=True),
                name="answer_one_a_seat",
            ),
            models.UniqueConstraint(
                fields=["panel", "reviewer"],
                condition=Q(withdrawn_at__isnull=True),
                name="answer_one_person",
            ),
            models.UniqueConstraint(fields=["reviewer", "idempotency_key"], name="answer_one_key"),
        ]

    def __str__(self) -> str:
        return f"answer of {self.reviewer} in {self.panel}"


class ComparedText(models.Model):
    """What an answer says of one system's text.

    `ratings` is {criterion: whole number}. `rank` counts from 1 for the best; texts may share a
    rank, and none has one where the person did not rank them. `place` is where the text stood on
    the page, from 0. Texts that were the same to the letter stood in one place.
    """

    answer = models.ForeignKey(
        Answer, on_delete=models.PROTECT, related_name="texts", db_index=False
    )
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="comparisons")
    is_approved = models.BooleanField()
    ratings = models.JSONField()
    rank = models.PositiveSmallIntegerField(null=True)
    place = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["answer", "revision"], name="compared_text_once"),
            models.CheckConstraint(
                condition=Q(rank__isnull=True) | Q(rank__gte=1), name="compared_text_rank"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.revision} in {self.answer}"


class KeyAdjudication(models.Model):
    """A senior's decision on a key with which most experts disagree; rows are only ever inserted.

    `change` is the correction of the key; empty where the key stands.
    """

    panel = models.OneToOneField(Panel, on_delete=models.PROTECT, related_name="key_adjudication")
    senior = models.ForeignKey(User, on_delete=models.PROTECT, related_name="key_adjudications")
    change = models.OneToOneField(
        KeyChange, null=True, on_delete=models.PROTECT, related_name="adjudication"
    )
    reason = models.TextField()
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="keyadjudication_has_reason")
        ]

    def __str__(self) -> str:
        return f"adjudication on the key in {self.panel}"


class StatedAnswer(models.Model):
    """An answer that a closed statement of work counts: none is counted twice."""

    answer = models.OneToOneField(
        Answer, primary_key=True, on_delete=models.PROTECT, related_name="stated"
    )
    statement = models.ForeignKey(
        WorkStatement, on_delete=models.PROTECT, related_name="stated_answers"
    )

    def __str__(self) -> str:
        return f"{self.answer} in {self.statement}"
