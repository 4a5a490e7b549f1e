"""Questions about imports, what they brought, their jobs and the formats they read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from django.utils.translation import gettext

from annotation.importers.base import Column
from annotation.importers.formats import FORMATS
from annotation.imports.reports import Outcome, in_words, worded
from annotation.models import ImportJob
from jobs.models import Job
from projects.models import Project

KIND, TERMS_KIND = "import", "term-import"
ERRORS_SHOWN = 100
ERROR_COLUMNS = ("file", "row", "code", "reason")
SUCCEEDED = frozenset({Outcome.IMPORTED, Outcome.UNCHANGED, Outcome.DRY_RUN})
COUNTS = {
    "rows_read": F("report__read"),
    "new_items": F("report__imported"),
    "new_translations": F("report__joined"),
    "rows_unchanged": F("report__unchanged"),
    "rows_refused": F("report__refused"),
}


@dataclass(frozen=True, slots=True)
class FormatLayout:
    """One format for the page: what it is, which files, and (column, what it holds)."""

    name: str
    summary: str
    files: str
    required: tuple[tuple[str, str], ...]
    optional: tuple[tuple[str, str], ...]


def imports_of(project: Project) -> QuerySet[ImportJob]:
    """Return imports of a project with their jobs and counts; the errors stay in the database.

    Imports of terms are left out.
    """
    rows = ImportJob.objects.filter(project=project, job__kind=KIND)
    rows = rows.select_related("job", "requested_by")
    return rows.annotate(**COUNTS).defer("report", "job__result")


def import_of(job: Job) -> ImportJob | None:
    """Return the import that a job carries; None for another kind of job."""
    found = ImportJob.objects.filter(job=job, job__kind=KIND).select_related("project")
    return found.first()


def import_result(job: Job) -> dict[str, Any]:
    """Return the report of the job's import, with reasons in words; one that was refused has one too."""
    found = None if job.result else import_of(job)
    report = found.report if found else job.result
    return in_words(report) if report else {}


def is_done(import_job: ImportJob) -> bool:
    """Return whether all but tidying up is done, so that running again does only that."""
    outcome = import_job.report.get("outcome")
    return outcome == Outcome.IMPORTED or (outcome in SUCCEEDED and not import_job.path)


def has_what_it_needs(job: Job) -> bool:
    """Return whether an import can be run again: its upload is still stored, or no longer needed."""
    import_job = ImportJob.objects.filter(job=job).first()
    return import_job is None or bool(import_job.path) or is_done(import_job)


def refused_rows(import_job: ImportJob) -> Iterator[dict[str, Any]]:
    """Yield every kept refusal of an import as {file, row, code, reason}."""
    return map(worded, import_job.report.get("errors", []))


def layouts() -> list[FormatLayout]:
    """Return what the files of each format look like, in words."""
    return [
        FormatLayout(
            name=name,
            summary=gettext(module.layout.summary),
            files=gettext(module.layout.files),
            required=tuple(_columns(module.layout.columns, is_required=True)),
            optional=tuple(_columns(module.layout.columns, is_required=False)),
        )
        for name, module in FORMATS.items()
    ]


def _columns(columns: Sequence[Column], *, is_required: bool) -> Iterator[tuple[str, str]]:
    for column in columns:
        if column.is_required == is_required:
            yield gettext(column.names), gettext(column.holds)
