"""What each person is told, and how far the record of what was done has been read."""

from django.db import models
from django.db.models import Q

from accounts.models import AuditEvent, User
from annotation.models import Item
from jobs.models import Job
from notifications.enums import Kind
from projects.models import Project
from review.models import Comment, Round

TOGETHER = "together:"
"""How the key of a notification begins that tells of one act on many disputes."""


class Notification(models.Model):
    """One thing that one person is told; it names rows and holds no text of theirs.

    `key` is what makes it: the same thing is told once. `is_waiting` until the person may know it:
    a comment that they may not read yet, a job that has not ended. `mailed_at` is the digest that
    holds it. A round can be discarded; then nobody is told of it any more.
    """

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="notifications", db_index=False
    )
    kind = models.CharField(max_length=12, choices=Kind)
    key = models.CharField(max_length=60)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(Item, null=True, on_delete=models.CASCADE, related_name="+")
    comment = models.ForeignKey(Comment, null=True, on_delete=models.CASCADE, related_name="+")
    round = models.ForeignKey(
        Round, null=True, on_delete=models.SET_NULL, related_name="+", db_constraint=False
    )
    job = models.ForeignKey(Job, null=True, on_delete=models.CASCADE, related_name="+")
    is_waiting = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    mailed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="notification_once"),
            models.CheckConstraint(
                condition=Q(kind__in=Kind.values), name="notification_kind_known"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at", "-id"], name="notification_newest"),
            models.Index(
                fields=["user"],
                condition=Q(read_at__isnull=True, is_waiting=False),
                name="notification_unread",
            ),
            models.Index(fields=["id"], condition=Q(is_waiting=True), name="notification_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user}"


class Cursor(models.Model):
    """Up to which audit event everything has been told; one row."""

    event = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"events up to {self.event}"


class ToldEvent(models.Model):
    """An audit event beyond the cursor that has been told.

    Numbers are given before a transaction commits, so an event can appear behind later ones.
    """

    event = models.OneToOneField(
        AuditEvent, on_delete=models.CASCADE, related_name="+", primary_key=True
    )

    def __str__(self) -> str:
        return f"told: {self.event_id}"


class Reminder(models.Model):
    """That people were reminded of a round's due date; of a new date they are reminded anew."""

    round = models.ForeignKey(
        Round, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    due_on = models.DateField()
    sent_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "due_on"], name="reminder_once_a_date")
        ]

    def __str__(self) -> str:
        return f"{self.round_id} due on {self.due_on}"


class Digest(models.Model):
    """When a person's last digest was put on its way."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="+")
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"digest for {self.user}"
