"""The page that imports answers of another program, and the files that other programs open."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from common.api_exports import file_answer
from common.errors import DomainError
from evaluation.outside.actions import OutsideOptions, start_run_import
from evaluation.outside.exporting import exported_file
from evaluation.outside.forms import RunImportForm
from evaluation.outside.writers import WRITERS
from evaluation.selectors import run_for
from projects.selectors import project_for


@require_http_methods(["GET", "HEAD", "POST"])
def import_run(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a file of answers and show the job that imports it."""
    user = current_user(request)
    project = project_for(user, slug, "evaluation.import_run")
    form = RunImportForm(project, request.POST or None, request.FILES or None)
    if form.is_valid():
        data = form.cleaned_data
        options = OutsideOptions(tuple(data["methods"]), data["format"], data["model"].strip())
        try:
            job = start_run_import(
                release=data["release"], file=data["file"], name=data["file"].name,
                options=options, actor=user, now=timezone.now(),
            )  # fmt: skip
        except DomainError as error:
            form.add_error(None, error.in_full())
        else:
            return redirect("jobs:job", job.pk)
    context = {"project": project, "section": "runs", "form": form}
    status = 400 if form.is_bound else 200
    return render(request, "evaluation/outside/import.html", context, status=status)


@require_safe
def export_run(request: HttpRequest, slug: str, pk: int, name: str) -> StreamingHttpResponse:
    """Download the answers of a run as another program stores them; for managers only."""
    run = run_for(current_user(request), slug, pk, "evaluation.view_responses")
    if name not in WRITERS:
        raise Http404
    file, media_type, pieces = exported_file(
        run, name, with_hidden=request.GET.get("hidden") == "1"
    )
    return file_answer(pieces, name=file, media_type=media_type)
