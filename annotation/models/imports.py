"""One file's way into a project."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from jobs.models import Job
from projects.models import Project


class ImportJob(models.Model):
    """An import: what was asked, and once it has ended what was read and refused, row by row.

    `report` is an ImportReport as JSON. It holds codes and data, never sentences: the words are
    made when somebody reads it. `path` and `keys_path` are empty once the files are removed.
    `undone_at` is when somebody took the import back.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="import_jobs")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=255)
    format = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=100, blank=True)
    path = models.CharField(max_length=500, blank=True)
    keys_path = models.CharField(max_length=500, blank=True)
    is_dry_run = models.BooleanField(default=False)
    report = models.JSONField(default=dict)
    undone_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class ImportMapping(models.Model):
    """The columns of a table as somebody mapped them, kept by name for the next file.

    `mapping` is the text that `annotation.importers.mapped` reads.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="import_mappings", db_index=False
    )
    name = models.CharField(max_length=100)
    mapping = models.TextField()
    kept_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    kept_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="importmapping_one_name")
        ]

    def __str__(self) -> str:
        return self.name


class ImportBatch(models.Model):
    """The rows that one import writes; they are hidden until `finished_at` is set.

    An import writes in many short transactions, so that nobody waits for the database meanwhile.
    Setting `finished_at` shows all of its rows at once. `writer` names who writes, and
    `touched_at` says when it last did; a batch whose writer is gone is removed with its rows.
    `new_subjects` and `new_sources` are the ids of what was added for it. `has_pointers` says whether
    items that had no working translation have got one.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="import_batches")
    import_job = models.ForeignKey(
        ImportJob, null=True, on_delete=models.PROTECT, related_name="batches"
    )
    writer = models.CharField(max_length=200)
    new_subjects = models.JSONField(default=list)
    new_sources = models.JSONField(default=list)
    has_pointers = models.BooleanField(default=False)
    started_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["project"],
                condition=Q(finished_at__isnull=True),
                name="import_batch_unfinished",
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(has_pointers=False) | Q(finished_at__isnull=False),
                name="import_batch_finished_before_pointers",
            )
        ]

    def __str__(self) -> str:
        return f"rows of import {self.pk}"
