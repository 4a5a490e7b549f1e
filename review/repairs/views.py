"""Pages of batch repairs: preview and list, one batch with its texts, and undoing it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.checks.queries import findings_by_code
from common.errors import DomainError
from common.filters import refuse_unknown_names
from common.pagination import listed_page
from projects.models import Project
from projects.selectors import project_for
from review.models import RepairBatch
from review.repairs.actions import PreviewOutdated, start_repairs, start_undo
from review.repairs.forms import RepairForm
from review.repairs.planning import plan_repairs
from review.repairs.presenters import batch_title, shown_plan, shown_texts
from review.repairs.queries import batch_of, batches_of, texts_of
from review.rounds.actions.choosing_guard import running_repair

EDIT = "annotation.edit_text"
BATCHES_SHOWN = 20


@require_http_methods(["GET", "HEAD", "POST"])
def repairs(request: HttpRequest, slug: str) -> HttpResponse:
    """What a batch would change, and the batches so far. POST starts the batch that was shown."""
    user = current_user(request)
    project = project_for(user, slug, EDIT)
    if request.method != "POST":
        form = RepairForm(request.GET if "code" in request.GET else None, project=project)
        refuse_unknown_names(request.GET, form.fields)
        return _page(request, project, form)
    form = RepairForm(request.POST, project=project)
    if not form.is_valid():
        return _page(request, project, form, status=400)
    try:
        batch = _start(project, form, request.POST.get("digest", ""), user)
    except DomainError as error:
        return _page(request, project, form, error=error, status=error.status)
    return redirect("jobs:job", batch.job_id)


@require_safe
def repair_batch(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One batch: what became of each text, with those that were left out or kept first."""
    project = project_for(current_user(request), slug, EDIT)
    batch = batch_of(project, pk)
    page = listed_page(request, texts_of(batch), order=["pk"])
    context = {
        "project": project,
        "section": "findings",
        "batch": batch,
        "title": batch_title(batch),
        "page": page,
        "rows": shown_texts(page.rows),
        "can_undo": _can_undo(batch),
    }
    return render(request, "review/repairs/repair_batch.html", context)


@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Queue the job that brings back the former texts, and show it."""
    user = current_user(request)
    batch = batch_of(project_for(user, slug, EDIT), pk)
    try:
        job = start_undo(batch=batch, actor=user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
        return redirect("review:repair-batch", slug, pk)
    return redirect("jobs:job", job.pk)


def _start(project: Project, form: RepairForm, digest: str, user: User) -> RepairBatch:
    return start_repairs(
        project=project, wanted=form.wanted(), digest=digest, actor=user, now=timezone.now()
    )


def _page(
    request: HttpRequest,
    project: Project,
    form: RepairForm,
    *,
    error: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form with its preview, and the latest batches."""
    context: dict[str, Any] = {
        "project": project,
        "section": "findings",
        "form": form,
        "error": error,
        "is_outdated": isinstance(error, PreviewOutdated),
        "running": running_repair(project),
        "batches": [
            (batch, batch_title(batch), _can_undo(batch))
            for batch in batches_of(project).order_by("-pk")[:BATCHES_SHOWN]
        ],
        "page_title": _("Batch repairs"),
    }
    context |= _chosen(project, form)
    return render(request, "review/repairs/repairs.html", context, status=status)


def _chosen(project: Project, form: RepairForm) -> dict[str, Any]:
    """Return the preview of a chosen check, or the checks to choose from."""
    if not form.is_bound:
        return {"counts": findings_by_code(project)}
    if not form.is_valid():
        return {}
    wanted = form.wanted()
    return {"plan": shown_plan(plan_repairs(project, wanted)), "wanted": wanted}


def _can_undo(batch: Any) -> bool:
    return bool(batch.n_repaired and batch.undo_job_id is None and batch.job.has_ended)
