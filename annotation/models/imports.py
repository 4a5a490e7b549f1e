"""One file's way into a project."""

from django.db import models

from accounts.models import User
from annotation.models.projects import Project
from common.models import Job


class ImportJob(models.Model):
    """An import: what was asked, and after it ended what was read and refused, row by row.

    `report` is the JSON of `import_items --json`; `errors` in it is a list of {file, row, code,
    reason}.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="import_jobs")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=255)
    format = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=100, blank=True)
    path = models.CharField(max_length=500)
    keys_path = models.CharField(max_length=500, blank=True)
    is_dry_run = models.BooleanField(default=False)
    report = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
