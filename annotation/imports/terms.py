"""Brings a file of terms into a glossary: checked whole, then written a few hundred rows at a time.

The report of the import says how many rows are written, in the transaction that writes them. So a
job that was stopped or killed continues where it was.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.glossary.actions import (
    ImportCounts,
    compare_terms,
    finish_import,
    show_terms,
    write_terms,
)
from annotation.glossary.formats import read_terms
from annotation.glossary.formats.base import ReadTerms, TermRow, refused
from annotation.glossary.presenters import problem_words
from annotation.imports.batches import short_transaction
from annotation.imports.queries import TERMS_KIND, has_what_it_needs, is_done
from annotation.imports.reports import Outcome
from annotation.imports.uploads import (
    UploadRemoved,
    remove_upload,
    sweep_uploads,
)
from annotation.models import ImportJob
from common.errors import DomainError
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from jobs.uploads import keep_upload, new_folder
from projects.models import Project

ROWS_AT_ONCE = 500
MOST_MEGABYTES = 50  # a file of terms is read whole


class TermsRefused(DomainError):
    code = "terms_refused"
    detail = _("Nothing was imported, because some rows are wrong.")
    status = 400


def start_term_import(
    *,
    project: Project,
    file: BinaryIO,
    name: str,
    is_dry_run: bool = False,
    actor: User | None,
    now: datetime,
) -> ImportJob:
    """Store a file of terms and queue its import, or with `is_dry_run` its check."""
    sweep_uploads(now)
    path = keep_upload(file, new_folder(), name)
    with transaction.atomic():
        job = create_job(
            kind=TERMS_KIND,
            scope=project.slug,
            params={"file": name[:255], "dry_run": is_dry_run},
            actor=actor,
            now=now,
        )
        return ImportJob.objects.create(
            project=project,
            job=job,
            requested_by=actor,
            name=name[:255],
            path=str(path),
            is_dry_run=is_dry_run,
            created_at=now,
        )


def perform_term_import(job: Job, progress: Progress) -> dict[str, Any]:
    """Do a queued import of terms; run again, it writes only the rows that are missing.

    Raises TermsRefused if a row is wrong, before anything is written; the report names the rows.
    """
    found = ImportJob.objects.select_related("project", "requested_by").get(job=job)
    if not is_done(found):
        if not has_what_it_needs(job):
            raise UploadRemoved
        progress.set_note("reading")
        _import(found, _read(found), progress)
    remove_upload(found)
    return dict(found.report)


def show_written_terms(job: Job) -> None:
    """Let the checks see the terms of an import that has stopped in the middle."""
    found = ImportJob.objects.select_related("project").filter(job=job).first()
    if found and found.report.get("read"):
        show_terms(project=found.project)


def term_import_result(job: Job) -> dict[str, Any]:
    """Return the report of the job's import, with what is wrong in words."""
    found = ImportJob.objects.filter(job=job).first()
    report = dict(found.report) if found else {}
    if "problems" in report:
        report["problems"] = [
            {"row": p["row"], "field": p["field"], "message": problem_words(p["code"], p["data"])}
            for p in report["problems"]
        ]
    return report


def _read(found: ImportJob) -> ReadTerms:
    path = Path(found.path)
    if path.stat().st_size > MOST_MEGABYTES * 1_000_000:
        return refused("too_large", limit=MOST_MEGABYTES)
    return read_terms(
        path.read_bytes(),
        source_language=found.project.source_language,
        target_language=found.project.target_language,
    )


def _import(found: ImportJob, read: ReadTerms, progress: Progress) -> None:
    if read.problems:
        problems = [asdict(problem) | {"data": dict(problem.data)} for problem in read.problems]
        _keep(found, {"outcome": Outcome.REFUSED, "problems": problems})
        raise TermsRefused
    if found.is_dry_run:
        counts = compare_terms(found.project, [row.values for row in read.rows]).counts
        _keep(found, {"outcome": Outcome.DRY_RUN, "read": len(read.rows), **asdict(counts)})
        return
    _write(found, read.rows, progress)
    _finish(found)


def _write(found: ImportJob, rows: Sequence[TermRow], progress: Progress) -> None:
    done = int(found.report.get("read", 0))
    progress.start(len(rows), done=done, note="writing")
    while done < len(rows):
        values = [row.values for row in rows[done : done + ROWS_AT_ONCE]]
        done += len(values)
        with short_transaction():
            counts = _counts(found.report) + write_terms(
                project=found.project, values=values, actor=found.requested_by, now=timezone.now()
            )
            _keep(found, {"read": done, **asdict(counts)})
        progress.advance_to(done)


@transaction.atomic
def _finish(found: ImportJob) -> None:
    counts = _counts(found.report)
    finish_import(
        project=found.project, counts=counts, actor=found.requested_by, now=timezone.now()
    )
    is_new = counts.created or counts.changed
    outcome = Outcome.IMPORTED if is_new else Outcome.UNCHANGED
    _keep(found, {**found.report, "outcome": outcome})


def _counts(report: dict[str, Any]) -> ImportCounts:
    names = ("created", "changed", "unchanged")
    return ImportCounts(**{name: report.get(name, 0) for name in names})


def _keep(found: ImportJob, report: dict[str, Any]) -> None:
    found.report = report
    ImportJob.objects.filter(pk=found.pk).update(report=report)
