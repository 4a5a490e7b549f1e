"""Questions about imports and the jobs that carry them."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import ImportJob, Project
from common.models import Job

ERRORS_SHOWN = 100


def imports_of(project: Project) -> QuerySet[ImportJob]:
    """Imports of a project with their jobs; the long list of errors stays in the database."""
    return ImportJob.objects.filter(project=project).select_related("job", "requested_by")


def import_of(job: Job) -> ImportJob | None:
    """The import that a job carries, None for another kind of job."""
    return ImportJob.objects.filter(job=job).select_related("project").first()


def result_of(job: Job) -> dict[str, Any]:
    """What a job came to; an import that was refused still has its report."""
    if job.result or job.kind != "import":
        return dict(job.result)
    found = import_of(job)
    return dict(found.report) if found else {}
