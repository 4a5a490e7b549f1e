"""The page that takes a file, with the imports of the past below."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.rules import current_user
from annotation.access import project_for
from annotation.actions.imports import ImportOptions, start_import
from annotation.forms.imports import ImportForm
from annotation.models import ImportJob, Project
from annotation.queries.imports import imports_of
from common.jobs import is_worker_alive
from common.pagination import keyset_page

IMPORT_ITEMS = "annotation.import_items"


@require_http_methods(["GET", "POST"])
def import_items(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, IMPORT_ITEMS)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if form.is_valid():
        return redirect("annotation:job", start_from(form, project, user).job_id)
    page = keyset_page(imports_of(project), order=["-pk"], cursor=request.GET.get("cursor"))
    context = {
        "project": project,
        "section": "items",
        "form": form,
        "page": page,
        "is_worker_alive": is_worker_alive(now=timezone.now()),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "annotation/import.html", context, status=status)


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
        ),
        actor=user,
        now=timezone.now(),
        keys_file=keys or None,
        keys_name=keys.name if keys else "",
    )
