"""Addresses that are told what happens in a project, and what was sent to each."""

import uuid

from django.db import models
from django.db.models import Q

from accounts.models import AuditEvent, User
from common.outbox import OutboxRow
from jobs.models import Job
from projects.models import Project
from webhooks.enums import WAYS_OUT, DeliveryState, EventName, Problem, WebhookState


class Webhook(models.Model):
    """An address of a project. `events` is {name: the last audit event before it was chosen}.

    Everything up to `read_event` has been turned into deliveries. `nonce` makes the secret
    (`webhooks.signing`); the one before it signs too until `previous_until`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(default=dict)
    state = models.CharField(max_length=7, choices=WebhookState, default=WebhookState.ACTIVE)
    nonce = models.CharField(max_length=43)
    previous_nonce = models.CharField(max_length=43, blank=True)
    previous_until = models.DateTimeField(null=True)
    read_event = models.BigIntegerField(default=0)
    delivered_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "url"], name="webhook_one_address"),
            models.CheckConstraint(
                condition=Q(state__in=WebhookState.values), name="webhook_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.url


class Delivery(OutboxRow):
    """One audit event for one webhook; `uid` stays the same however often it is sent.

    `payload` is what is sent, to the letter the same each time.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True)
    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    event = models.ForeignKey(AuditEvent, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=20, choices=EventName)
    job = models.ForeignKey(Job, null=True, on_delete=models.CASCADE, related_name="+")
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=DeliveryState, default=DeliveryState.WAITING)
    first_tried_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    problem = models.CharField(max_length=10, choices=Problem, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event", "name"], name="delivery_once"),
            models.CheckConstraint(
                condition=Q(state__in=DeliveryState.values), name="delivery_state_known"
            ),
        ]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="delivery_newest"),
            models.Index(
                fields=["webhook", "due_at"], condition=Q(state="waiting"), name="delivery_due"
            ),
            models.Index(fields=["id"], condition=Q(state="held"), name="delivery_held"),
            models.Index(fields=["created_at"], name="delivery_oldest"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.uid}"

    @property
    def is_sent_again(self) -> bool:
        """Whether somebody may ask for that, or for its next try now."""
        if self.state == DeliveryState.WAITING:
            return bool(self.problem)
        return self.state != DeliveryState.HELD and self.problem != Problem.UNREADABLE

    @property
    def way_out(self) -> str:
        """What to do about the problem, if anything is known."""
        return str(WAYS_OUT.get(self.problem, ""))
