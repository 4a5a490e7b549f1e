"""The page that takes a file, with the columns of each format and earlier imports below."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.imports.actions import import_kept, options_again, start_import
from annotation.imports.columns_page import ColumnsPage, is_unknown_table
from annotation.imports.forms import ImportForm
from annotation.imports.opening import ImportOptions
from annotation.imports.queries import (
    ERROR_COLUMNS,
    import_of,
    imports_of,
    layouts,
    refused_rows,
)
from annotation.imports.undoing import undo_import
from annotation.models import ImportJob
from common.downloads import csv_lines
from common.pagination import listed_page
from jobs.queries import is_worker_alive
from jobs.selectors import job_for
from projects.models import Project
from projects.selectors import project_for

IMPORT_ITEMS = "annotation.import_items"


@require_http_methods(["GET", "POST"])
def import_items(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, IMPORT_ITEMS)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if form.is_valid():
        started = start_from(form, project, user)
        following = "annotation:import-columns" if is_unknown_table(started) else "jobs:job"
        return redirect(following, started.job_id)
    page = listed_page(request, imports_of(project), order=["-pk"])
    context = {
        "project": project,
        "section": "items",
        "form": form,
        "page": page,
        "layouts": layouts(),
        "is_worker_alive": is_worker_alive(now=timezone.now()),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "annotation/import.html", context, status=status)


@require_safe
def errors(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Every refusal that an import kept, as CSV, to correct the file by."""
    found, project = job_for(current_user(request), pk, "jobs.view_job")
    import_job = import_of(found)
    if import_job is None:
        raise Http404
    lines = csv_lines(ERROR_COLUMNS, refused_rows(import_job))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    name = f"{project.slug}-import-{pk}-errors.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_POST
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Take an import back, then show the job that removes its rows."""
    user = current_user(request)
    found, _project = job_for(user, pk, "jobs.cancel_job")
    import_job = import_of(found)
    if import_job is None:
        raise Http404
    job = undo_import(import_job=import_job, actor=user, now=timezone.now())
    return redirect("jobs:job", job.pk)


@require_POST
def import_now(request: HttpRequest, pk: int) -> HttpResponse:
    """Import the file of a dry run, or of a failed import, as it was tried: no second upload."""
    user = current_user(request)
    found, _project = job_for(user, pk, "jobs.cancel_job")
    import_job = import_of(found)
    if import_job is None:
        raise Http404
    options = options_again(import_job)
    started = import_kept(import_job=import_job, options=options, actor=user, now=timezone.now())
    return redirect("jobs:job", started.job_id)


@require_http_methods(["GET", "POST"])
def columns(request: HttpRequest, pk: int) -> HttpResponse:
    """Map the columns of a table that no format knows, look at ten items, then try or import it."""
    user = current_user(request)
    found, project = job_for(user, pk, "jobs.cancel_job")
    import_job = import_of(found)
    if import_job is None:
        raise Http404
    page = ColumnsPage(import_job, request.GET, request.POST if request.method == "POST" else None)
    if page.wants_import:
        started = page.start(actor=user, now=timezone.now())
        return redirect("jobs:job", started.job_id)
    context = {"project": project, "section": "items", "import_job": import_job, "page": page}
    is_faulty = request.method == "POST" and (page.form.errors or page.problem)
    status = 400 if is_faulty else 200
    return render(request, "annotation/import_columns_page.html", context, status=status)


def start_from(form: ImportForm, project: Project, user: User) -> ImportJob:
    data = form.cleaned_data
    keys = data["keys"]
    return start_import(
        project=project,
        file=data["file"],
        name=data["file"].name,
        options=ImportOptions(
            format=data["format"],
            system=data["system"],
            is_dry_run=data["dry_run"],
            is_skipping_refused=data["skip_refused"],
            licence=data["licence"],
            attribution=data["attribution"],
            version=data["source_version"],
            url=data["source_url"],
        ),
        actor=user,
        now=timezone.now(),
        keys_file=keys or None,
        keys_name=keys.name if keys else "",
    )
