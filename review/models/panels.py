"""Panels of a round and their seats."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Item, Revision
from projects.models import Subject
from review.enums import Outcome, PanelState, SeatState
from review.models.rounds import Round

LONGEST_TALLY = 300


class PanelsOfItems(models.Manager["Panel"]):
    """Every panel but those of control items."""

    def get_queryset(self) -> models.QuerySet["Panel"]:
        return super().get_queryset().filter(is_control=False)


class Panel(models.Model):
    """The seats of a round on one revision, and what their judgements amount to.

    `tally` is the canonical text of the judgements so far (`review.outcomes.make_tally`), with the
    first ones where a dispute got others. `submit_judgement` keeps it; every figure is a function
    of {tally: number of panels}. `subject` and `is_dev` repeat the item's, `system` the
    translation's, none of which ever changes: so one look at an index gives the tallies of a round
    in every group that a report shows.
    `position` is the order in which seats are offered: risky items first.
    `reasons` is a list of {code, …}, empty unless disputed. `reason_codes` are their codes between
    blanks, and `uid_key` sorts as people count (as `Item.uid_order`): the queue of disputes
    is filtered and sorted by them. `adjudication` is the decision in force.
    `is_control` marks a planted control item (`Control`): `objects` leaves it out of every figure,
    `with_controls` is for what must treat it like any other item.
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
    subject = models.ForeignKey(
        Subject, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    system = models.CharField(max_length=100, db_default="")
    is_dev = models.BooleanField(default=False, db_default=False)
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
    tally = models.CharField(max_length=LONGEST_TALLY, blank=True)
    decided_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    is_control = models.BooleanField(default=False, db_default=False)

    objects: ClassVar = PanelsOfItems()
    with_controls: ClassVar = models.Manager()

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
            # All that a report asks of the panels of a round, so that it reads no panel itself.
            models.Index(
                fields=["round", "outcome", "tally", "subject", "system", "is_dev", "is_control"],
                name="panel_groups",
            ),
            models.Index(fields=["round", "state", "-severity", "id"], name="panel_queue"),
            models.Index(fields=["round"], condition=Q(is_control=True), name="panel_control"),
            # The orders of the queue of disputes (`review.disputes.queries.queued`), so that a page of it
            # costs the same however long it is.
            *(
                models.Index(
                    fields=[order, "id", "round"],
                    condition=Q(state=PanelState.DISPUTED),
                    name=f"panel_by_{name}",
                )
                for order, name in (
                    ("-severity", "severity"),
                    ("decided_at", "decided_at"),
                    ("uid_key", "uid_key"),
                )
            ),
        ]

    def __str__(self) -> str:
        return f"panel on {self.item} in {self.round}"


class Assignment(models.Model):
    """One seat of a panel; the reviewer is empty until somebody claims it.

    `round` and `position` repeat the panel's, so that the next free seat is one index look-up; a
    seat that was added to a dispute has a position that comes soon. A round is opened with
    hundreds of thousands of seats: indexes over reviewers leave out seats that nobody has, and the
    database checks one key to the round, the panel's. `slot` counts the seats that a person holds
    at once, from 0, so that the database bounds how many that can be.
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


class Reveal(models.Model):
    """Source and key of a panel's item were shown to one reviewer, after a blind first reading.

    The workbench's script needs none: it says in the judgement when it showed them.
    """

    panel = models.ForeignKey(
        Panel, on_delete=models.PROTECT, related_name="reveals", db_index=False
    )
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="reveals")
    revealed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["panel", "reviewer"], name="reveal_once_a_person")
        ]

    def __str__(self) -> str:
        return f"{self.panel} shown to {self.reviewer}"


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
