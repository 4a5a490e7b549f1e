"""Questions about imports and the jobs that carry them."""

from typing import Any

from django.db.models import F, QuerySet

from annotation.models import ImportJob, Project
from common.models import Job

ERRORS_SHOWN = 100
COUNTS = {
    "rows_read": F("report__read"),
    "new_items": F("report__imported"),
    "new_translations": F("report__joined"),
    "rows_unchanged": F("report__unchanged"),
    "rows_refused": F("report__refused"),
}


def imports_of(project: Project) -> QuerySet[ImportJob]:
    """Imports of a project with their jobs and counts; the errors stay in the database."""
    rows = ImportJob.objects.filter(project=project).select_related("job", "requested_by")
    return rows.annotate(**COUNTS).defer("report", "job__result")


def import_of(job: Job) -> ImportJob | None:
    """The import that a job carries, None for another kind of job."""
    return ImportJob.objects.filter(job=job).select_related("project").first()


def result_of(job: Job) -> dict[str, Any]:
    """What a job came to; an import that was refused still has its report."""
    if job.result or job.kind != "import":
        return dict(job.result)
    found = import_of(job)
    return dict(found.report) if found else {}
