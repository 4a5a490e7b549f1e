"""Pages that start, list, show, cancel and resume explanation jobs, and edit their prompt."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from annotation.asking import views as asking
from annotation.asking.queries import state_counts
from annotation.asking.selectors import asking_job_for
from common.pagination import listed_page
from projects.selectors import project_for
from review.explaining.actions import (
    EXPLAINING,
    EXPLANATIONS,
    estimate_of,
    start_explaining,
)
from review.explaining.forms import ExplainingForm
from review.explaining.queries import failed_items, preview_of, totals_of, words_of


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, EXPLAINING.view)
    return asking.list_page(request, EXPLAINING, project)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, EXPLAINING.manage)
    form = ExplainingForm(project, request.POST or None)
    return asking.start_page(
        request, EXPLAINING, project, form, start=start_explaining, estimate=estimate_of
    )


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what came of a job; items without an explanation are listed with the reason."""
    started = asking_job_for(EXPLAINING, current_user(request), slug, pk)
    page = listed_page(request, failed_items(started), order=["pk"])
    return asking.job_page(
        request, EXPLAINING, started, counts=state_counts(started.items.all()),
        totals=totals_of(started), page=page, failed=[(row, words_of(row)) for row in page.rows],
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, EXPLAINING.manage)
    return asking.task_prompt_page(
        request, EXPLAINING, project, EXPLANATIONS, preview=partial(preview_of, project)
    )
