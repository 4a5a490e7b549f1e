"""Changes of all items of a filter at once, and which items one of them excluded."""

from django.db import models
from django.db.models import F, Q

from accounts.models import User
from annotation.models import ItemStateChange
from jobs.models import Job
from projects.models import Project
from review.enums import BulkKind


class BulkChange(models.Model):
    """One time that somebody changed many items as a preview had shown it.

    `item_ids` are the items to change, in order; the first `done_count` of them are seen to, of
    which `item_count` changed. They are emptied when it is finished. `left_out` counts the other
    items of the filter by the reason for which they stay. `job` does it where there are many.
    `undoes` is the change whose items this one brings back.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="bulk_changes", db_index=False
    )
    kind = models.CharField(max_length=8, choices=BulkKind)
    item_filter = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    category = models.CharField(max_length=100, blank=True)
    item_ids = models.JSONField(default=list)
    planned_count = models.PositiveIntegerField()
    done_count = models.PositiveIntegerField(default=0)
    item_count = models.PositiveIntegerField(default=0)
    left_out = models.JSONField(default=dict)
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    undoes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="undone_by"
    )
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(item_count__lte=F("done_count"), done_count__lte=F("planned_count")),
                name="bulkchange_counts",
            ),
            models.CheckConstraint(
                condition=Q(undoes__isnull=True) | Q(kind=BulkKind.RESTORE),
                name="bulkchange_undo_restores",
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="bulkchange_latest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.item_count} items of {self.project}"


class BulkExclusion(models.Model):
    """One item that a bulk change excluded, by the row of its history."""

    bulk = models.ForeignKey(BulkChange, on_delete=models.PROTECT, related_name="exclusions")
    change = models.OneToOneField(ItemStateChange, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.change} by {self.bulk}"
