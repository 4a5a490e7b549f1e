"""What open disputes wait for: a second look by one of their reviewers, or one more judgement."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from review.enums import InquiryKind, InquiryState
from review.models.judgements import Judgement
from review.models.panels import Assignment, Panel


class Inquiry(models.Model):
    """A question that a dispute waits for; its senior may take it back or settle without it.

    A *second look* asks the reviewer of `judgement`, with a note; the answer is a judgement that
    takes the place of that one. A *further seat* is an open seat, and the answer its judgement;
    `asked_by` is empty where the round adds seats to uncertain panels.
    """

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="inquiries")
    kind = models.CharField(max_length=12, choices=InquiryKind)
    state = models.CharField(max_length=10, choices=InquiryState, default=InquiryState.OPEN)
    asked_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    judgement = models.ForeignKey(
        Judgement, null=True, on_delete=models.PROTECT, related_name="second_looks"
    )
    # Repeats the judgement's, so that what is asked of a person is one index look-up.
    reviewer = models.ForeignKey(
        User, null=True, on_delete=models.PROTECT, related_name="second_looks", db_index=False
    )
    note = models.TextField(blank=True)
    seat = models.OneToOneField(
        Assignment, null=True, on_delete=models.PROTECT, related_name="inquiry"
    )
    answer = models.OneToOneField(
        Judgement, null=True, on_delete=models.PROTECT, related_name="answered_inquiry"
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["panel"], condition=Q(state=InquiryState.OPEN), name="inquiry_one_open"
            ),
            # A judgement is replaced once: the chain of judgements cannot fork.
            models.UniqueConstraint(
                fields=["judgement"],
                condition=Q(state=InquiryState.ANSWERED),
                name="inquiry_one_answer",
            ),
            models.CheckConstraint(
                condition=(
                    Q(
                        kind=InquiryKind.SECOND_LOOK,
                        judgement__isnull=False,
                        reviewer__isnull=False,
                        seat__isnull=True,
                    )
                    & ~Q(note="")
                )
                | Q(
                    kind=InquiryKind.FURTHER_SEAT,
                    judgement__isnull=True,
                    reviewer__isnull=True,
                    seat__isnull=False,
                ),
                name="inquiry_kind_fits",
            ),
            models.CheckConstraint(
                condition=Q(state=InquiryState.OPEN, answer__isnull=True, ended_at__isnull=True)
                | Q(state=InquiryState.ANSWERED, answer__isnull=False, ended_at__isnull=False)
                | Q(
                    state__in=[InquiryState.TAKEN_BACK, InquiryState.ENDED],
                    answer__isnull=True,
                    ended_at__isnull=False,
                ),
                name="inquiry_answer_fits",
            ),
        ]
        indexes = [
            models.Index(
                fields=["reviewer"], condition=Q(state=InquiryState.OPEN), name="inquiry_asked"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.panel}"


class Passage(models.Model):
    """A passage that an adjudication proposes for the guideline; accepted, it is in a new version.

    `adjudication` is what it comes from.
    """

    adjudication = models.ForeignKey(
        "review.Adjudication", on_delete=models.PROTECT, related_name="passages"
    )
    text = models.TextField()
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)
    guideline = models.OneToOneField(
        "review.Guideline", null=True, on_delete=models.PROTECT, related_name="passage"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["adjudication"],
                condition=Q(decided_at__isnull=True),
                name="passage_one_open",
            ),
            models.CheckConstraint(
                condition=Q(guideline__isnull=True) | Q(decided_at__isnull=False),
                name="passage_decision_fits",
            ),
        ]

    def __str__(self) -> str:
        return f"passage from {self.adjudication}"
