"""Batches of repaired texts, kept so that people see who repaired what and can undo it."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Revision
from jobs.models import Job
from projects.models import Project, Subject


class RepairBatch(models.Model):
    """One time that somebody had the texts of one check repaired.

    `code` is the check; `subject` and `system` narrow the texts, empty means all. `job` repairs the
    texts, `undo_job` brings the former ones back. `finished_at` and `undone_at` are when each was
    done with the last text.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="repair_batches", db_index=False
    )
    code = models.CharField(max_length=60)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT, related_name="+")
    system = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64)
    text_count = models.PositiveIntegerField()
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    undo_job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="repairbatch_latest")]

    def __str__(self) -> str:
        return f"repair of {self.code} in {self.project}"


class RepairedText(models.Model):
    """One text of a batch: the revision that it repairs, and the repaired one.

    `content_hash` is that of the repaired text as it was shown. While `after` and `left` are both
    empty the text waits for the job. `left` says why it was not repaired, `kept` why undoing left
    the repaired text; both are codes of `LeftOut`, whose words may change without a migration.
    """

    batch = models.ForeignKey(
        RepairBatch, on_delete=models.PROTECT, related_name="texts", db_index=False
    )
    before = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    content_hash = models.CharField(max_length=64)
    after = models.OneToOneField(
        Revision, null=True, on_delete=models.PROTECT, related_name="repaired_text"
    )
    left = models.CharField(max_length=12, blank=True)
    restored_at = models.DateTimeField(null=True)
    kept = models.CharField(max_length=12, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "before"], name="repairedtext_once"),
            models.CheckConstraint(
                condition=Q(after__isnull=True) | Q(left=""), name="repairedtext_done_or_left"
            ),
            models.CheckConstraint(
                condition=Q(restored_at__isnull=True, kept="") | Q(after__isnull=False),
                name="repairedtext_undoes_a_repair",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before} in {self.batch}"
