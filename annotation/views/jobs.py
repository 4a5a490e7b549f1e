"""The page of a job: how far it is, what came of it, and stopping it or taking it up again."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.access import job_for
from annotation.actions.imports import FileRefused, RowsRefused
from annotation.downloads import csv_lines
from annotation.models import Project
from annotation.queries.imports import ERRORS_SHOWN, import_of, result_of
from common.htmx import render_page
from common.jobs import is_worker_alive, resume_job, stop_job
from common.models import Job

NOT_MENDED_BY_TRYING = (RowsRefused.code, FileRefused.code)
ERROR_COLUMNS = ("file", "row", "code", "reason")
TITLES = {"import": _("Import"), "duplicates": _("Search for duplicates")}


@require_safe
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """The page; asked by htmx every two seconds, only the part about the job."""
    user = current_user(request)
    found, project = job_for(user, pk, "annotation.view_job")
    return render_page(
        request, "annotation/job.html", _context(user, found, project), partial="job"
    )


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    found, _project = job_for(user, pk, "annotation.cancel_job")
    stop_job(job=found, actor=user, now=timezone.now())
    return redirect("annotation:job", pk)


@require_POST
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a failed or cancelled job back to the queue; what it has done stays done."""
    user = current_user(request)
    found, _project = job_for(user, pk, "annotation.cancel_job")
    resume_job(job=found, actor=user, now=timezone.now())
    return redirect("annotation:job", pk)


@require_safe
def errors(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Every kept refusal of an import as CSV, to be put right beside the file."""
    found, project = job_for(current_user(request), pk, "annotation.view_job")
    import_job = import_of(found)
    if import_job is None:
        raise Http404
    lines = csv_lines(ERROR_COLUMNS, import_job.report.get("errors", []))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    name = f"{project.slug}-import-{pk}-errors.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _context(user: User, found: Job, project: Project) -> dict[str, Any]:
    now = timezone.now()
    result = result_of(found)
    import_job = import_of(found) if found.kind == "import" else None
    refusals = result.get("errors") or []
    return {
        "project": project,
        "section": "items" if found.kind == "import" else "duplicates",
        "job": found,
        "title": TITLES.get(found.kind, found.kind),
        "import_job": import_job,
        "report": result,
        "refusals": refusals[:ERRORS_SHOWN],
        "refusals_left": max(0, int(result.get("refused", 0)) - ERRORS_SHOWN),
        "seconds_left": found.seconds_left(now),
        "is_worker_alive": is_worker_alive(now=now),
        "can_stop": user.has_perm("annotation.cancel_job", found),
        "can_resume": found.error_code not in NOT_MENDED_BY_TRYING,
    }
